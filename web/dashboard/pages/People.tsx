// Signing in, the first run, an invitation, a new password.
import { useEffect, useState } from "preact/hooks";
import { addressOf, go, useParameters } from "../address.ts";
import { Problem, send, session } from "../api.ts";
import { useCell } from "../cell.ts";
import { Form, Input } from "../parts/Form.tsx";
import { Link } from "../parts/Link.tsx";
import { OpenByName } from "../parts/OpenByName.tsx";
import { ownPath, tokenIn } from "../people.ts";
import type { Session } from "../shapes.ts";

// What makes a session answers with it, so that nothing has to be asked again.
async function enter(path: string, body: unknown, next = "/"): Promise<undefined> {
  session.set(await send<Session>("POST", path, body));
  go(next);
  return undefined;
}

// A link's secret stands behind the hash, which no server and no log ever sees.
function useToken(): string | null {
  const [token] = useState(() => tokenIn(location.hash));
  return token;
}

const CUT_OFF = "This link is not whole: open it again from where you got it, or copy all of it.";

function Bad({ words }: { words: string }) {
  return (
    <p class="said bad" role="alert">
      {words}
    </p>
  );
}

export function SignInPage() {
  const who = useCell(session);
  const next = ownPath(useParameters().get("next"));
  return (
    <section class="card narrow">
      <h1>Sign in</h1>
      {who?.needsSetup ? (
        <p>
          Nobody has an account yet. <Link to="/setup">Set up the first one</Link> with the code that{" "}
          <code>footfall serve</code> printed.
        </p>
      ) : null}
      <Form
        label="Sign in"
        button="Sign in"
        send={({ email, password }) => enter("/v1/session", { email, password }, next)}
      >
        <Input name="email" words="E-mail" type="email" complete="username" />
        <Input name="password" words="Password" type="password" complete="current-password" />
      </Form>
      <p class="about">
        <Link to="/reset">Forgot the password?</Link>
      </p>
      {who?.register === "open" ? <Register /> : null}
    </section>
  );
}

function Register() {
  return (
    <details>
      <summary>Make an account</summary>
      <Form
        label="Make an account"
        button="Make the account"
        send={({ email, password, name }) => enter("/v1/register", { email, password, name })}
      >
        <NewPerson />
      </Form>
    </details>
  );
}

function NewPerson({ email }: { email?: string }) {
  return (
    <>
      <Input name="name" words="Name" complete="name" />
      <Input name="email" words="E-mail" type="email" complete="username" value={email} />
      <Input
        name="password"
        words="Password"
        type="password"
        complete="new-password"
        hint="10 characters or more"
      />
    </>
  );
}

export function SetupPage() {
  const who = useCell(session);
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const code = useParameters().get("code") ?? "";
  return (
    <section class="card narrow">
      <h1>Set up footfall</h1>
      {who && !who.needsSetup ? (
        <p>
          It is set up already. <Link to="/sign-in">Sign in</Link>
        </p>
      ) : (
        <>
          <p>
            The code stands in the lines that <code>footfall serve</code> printed when it started;{" "}
            <code>footfall people setup-code</code> tells it again.
          </p>
          <Form
            label="Set up"
            button="Begin"
            send={({ brand, title, zone: where, ...person }) => {
              const first = brand ? { brand, title: title || undefined, zone: where || undefined } : {};
              return enter("/v1/setup", { ...person, ...first }, addressOf("/", brand ?? ""));
            }}
          >
            <Input name="code" words="Code" value={code} />
            <NewPerson />
            <Input name="brand" words="First brand" isOptional hint="A short name, such as herald" />
            <Input name="title" words="Its title" isOptional />
            <Input
              name="zone"
              words="Its time zone"
              value={zone}
              isOptional
              hint="For good: its days begin there"
            />
          </Form>
          <h2>Only looking?</h2>
          <OpenByName />
        </>
      )}
    </section>
  );
}

interface Offer {
  brand: string;
  title: string;
  role: string;
  email: string | null;
}

export function InvitationPage() {
  const token = useToken();
  const who = useCell(session);
  const [offer, setOffer] = useState<Offer | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    if (!token) {
      setProblem(CUT_OFF);
      return;
    }
    send<Offer>("POST", "/v1/invitations/offer", { token })
      .then(setOffer)
      .catch((error: unknown) =>
        setProblem(error instanceof Problem ? error.message : "The server does not answer."),
      );
  }, [token]);
  return (
    <section class="card narrow">
      <h1>You are invited</h1>
      {problem ? <Bad words={problem} /> : null}
      {offer ? (
        <>
          <p>
            To <strong>{offer.title || offer.brand}</strong>, as {offer.role}.
          </p>
          <Form
            label="Accept"
            button={who?.person ? `Accept as ${who.person.email}` : "Accept"}
            send={(values) => {
              const body = { token, ...(who?.person ? {} : values) };
              return enter("/v1/invitations/accept", body, addressOf("/", offer.brand));
            }}
          >
            {who?.person ? null : <NewPerson email={offer.email ?? undefined} />}
          </Form>
        </>
      ) : null}
    </section>
  );
}

export function ResetPage() {
  const token = useToken();
  return (
    <section class="card narrow">
      <h1>New password</h1>
      {token === null ? <Bad words={CUT_OFF} /> : null}
      {token ? (
        <Form
          label="Set a new password"
          button="Set the password"
          send={async ({ password }) => {
            await send("POST", "/v1/password/reset/accept", { token, password });
            go("/sign-in");
            return undefined;
          }}
        >
          <Input
            name="password"
            words="New password"
            type="password"
            complete="new-password"
            hint="10 characters or more"
          />
        </Form>
      ) : (
        <Form
          label="Ask for a new password"
          button="Send the link"
          send={async ({ email }) => {
            await send("POST", "/v1/password/reset", { email });
            return "If there is such an account, a link is on its way. Without mail, an operator gets it with footfall people reset.";
          }}
        >
          <Input name="email" words="E-mail" type="email" complete="username" />
        </Form>
      )}
      <p class="about">
        <Link to="/sign-in">Back to signing in</Link>
      </p>
    </section>
  );
}
