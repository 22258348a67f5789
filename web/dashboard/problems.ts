// What the server refuses, as an editor would say it. The server speaks to programs, by the names of fields. Pure.

// What fields are called, where no field of a form shows a name of its own.
const NAMES: Record<string, string> = {
  assetId: "The asset",
  brand: "The brand",
  code: "The code",
  email: "The e-mail address",
  from: "The first day",
  name: "The name",
  old: "The password",
  origins: "The list of origins",
  password: "The password",
  new: "The new password",
  place: "The place",
  section: "The section",
  title: "The title",
  to: "The last day",
  zone: "The time zone",
};

// Sentences that need other words than the server's; the first that fits is taken.
const SENTENCES: readonly (readonly [RegExp, string])[] = [
  [
    /^brand: '(.+)' is none in which you are (an? \w+)/,
    "This needs $2 of “$1”, which you are not. Its administrators can make you one.",
  ],
  [
    /^brand: '(.+)' is not open to everybody/,
    "“$1” shows its numbers to its members only, if there is such a brand. Sign in with an account that has a role in it.",
  ],
  [
    /^brand: '(.+)' (?:is not a stored brand|has no [\w ]+: it is open)/,
    "“$1” is open to everybody, so it has no rules, keys, members or alerts. Add a brand of your own for those.",
  ],
  [/^brand: '(.+)' is not a brand/, "There is no brand “$1” here."],
  [/^'(.+)' is a brand already/, "There is a brand “$1” already; take another name."],
  [
    /^code: is not the one/,
    "That is not the code. It stands in the lines that footfall serve printed at its start; footfall people setup-code shows it again.",
  ],
  [/^\w+: '(.*)' is not a moment/, "“$1” is no day or time. Choose the days again."],
  [/^\w+: is not a moment/, "That is no day or time. Choose the days again."],
  [
    /^token: is not an invitation that waits/,
    "This invitation does not work any more: it was taken, taken back, or is too old. Ask for another one.",
  ],
  [/^token: /, "This link does not work any more: it was used, or is too old. Ask for another one."],
  [/^webhooks: and emails are both empty/, "Nobody would be told: name an address at least."],
  [/^(?:X-Footfall-CSRF|Origin): /, "This page is out of date. Load it again, then try once more."],
  [
    /^version (\d+) of '.+' was saved meanwhile/s,
    "Somebody else saved version $1 meanwhile. Nothing is lost.",
  ],
  [
    /^(?:hybridFormula|chainedMetric|name): there is no metric '(.+)'( \(character \d+\))?$/s,
    "There is no metric “$1”$2.",
  ],
  [/^asOf: '(.+)' was created later/s, "“$1” was not defined yet then. Choose a later day."],
  [
    /^url: (\S+) is not an address of the public web/,
    "“$1” is not on the public web, and only pages of the public web are kept.",
  ],
  [/^key: may not do this/, "Your role does not allow this."],
];

// A sentence for people; label is what the field is called where they see it.
export function problemWords(detail: string, field = "", label = ""): string {
  for (const [pattern, words] of SENTENCES) {
    const found = pattern.exec(detail);
    if (found) return words.replace(/\$(\d)/g, (_, at: string) => found[Number(at)] ?? "");
  }
  // Somebody who changes a password has no address to have got wrong.
  if (/^password: or e-mail address is wrong/.test(detail))
    return label && label !== "Password"
      ? `${label} is wrong.`
      : "The e-mail address or the password is wrong.";
  const attempts = /^there were too many attempts; wait (\d+) s/.exec(detail);
  if (attempts)
    return `There were too many attempts. Wait ${waitWords(Number(attempts[1]))}, then try again.`;
  const reason = field && detail.startsWith(`${field}: `) ? detail.slice(field.length + 2) : detail;
  const quoted = /^'(.*?)' (.*)$/s.exec(reason);
  if (quoted) return sentence(`“${quoted[1]}” ${quoted[2]}`);
  if (reason === detail) return sentence(detail);
  return sentence(`${label || NAMES[field] || spaced(field)} ${reason}`);
}

// The input of a form that a refused field means: "rules.repeatsMax" is typed into "repeatsMax".
export function inputNamed(
  field: string,
  names: readonly string[],
  aliases: Record<string, string> = {},
): string {
  const wanted = [field, ...field.split(".").reverse()].map((one) => aliases[one] ?? one);
  return wanted.find((one) => names.includes(one)) ?? "";
}

function waitWords(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  return seconds < 90 ? `${seconds} seconds` : `${minutes} minutes`;
}

function sentence(text: string): string {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}

function spaced(field: string): string {
  const last = field.split(".").pop() ?? field;
  return last.replace(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`);
}
