// A form that sends JSON and shows what the server says of each field.
import { type ComponentChildren, createContext } from "preact";
import { useContext, useId, useMemo, useState } from "preact/hooks";
import { Problem } from "../api.ts";
import { inputNamed, problemWords } from "../problems.ts";

export interface FormProps {
  label: string;
  button: string;
  send: (values: Record<string, string>) => Promise<string | undefined>;
  keeps?: boolean; // What was filled in stays after it was sent.
  aliases?: Record<string, string>; // Which input a field of the server means, where it has another name.
  children: ComponentChildren;
}

interface Said {
  text: string;
  isBad: boolean;
  name: string; // Of the input that it is about; the message stands beside that one.
  at?: number; // The character of what was sent, where the server names it.
  sent?: string;
}

const NOTHING: Said = { text: "", isBad: false, name: "" };
const SaidContext = createContext<Said>(NOTHING);

// What was refused of an input: the character, and the text as it was sent.
export function useRefusedAt(name: string): { at: number; sent: string } | null {
  const said = useContext(SaidContext);
  const isHere = said.isBad && said.name === name && said.at !== undefined && said.sent !== undefined;
  const [at, sent] = [said.at ?? 0, said.sent ?? ""];
  return useMemo(() => (isHere ? { at, sent } : null), [said]);
}

export function Form({ label, button, send, keeps = false, aliases = {}, children }: FormProps) {
  const [said, setSaid] = useState(NOTHING);
  const [isBusy, setIsBusy] = useState(false);
  return (
    <form
      class="form"
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        const values = valuesOf(form);
        setIsBusy(true);
        send(values)
          .then((words) => {
            setSaid({ ...NOTHING, text: words ?? "" });
            // Whoever types on while it is sent keeps what they typed.
            if (words && !keeps && JSON.stringify(valuesOf(form)) === JSON.stringify(values)) form.reset();
          })
          .catch((error: unknown) => {
            const refused = refusedIn(form, error, aliases);
            setSaid({ ...refused, sent: values[refused.name] });
            const input = refused.name ? form.elements.namedItem(refused.name) : null;
            if (input instanceof HTMLElement) input.focus();
          })
          .finally(() => setIsBusy(false));
      }}
    >
      <SaidContext.Provider value={said}>{children}</SaidContext.Provider>
      <p class="acts">
        <button type="submit" class="main" disabled={isBusy}>
          {isBusy ? `${button}…` : button}
        </button>
      </p>
      <p class={said.isBad ? "said bad" : "said"} role={said.isBad ? "alert" : "status"}>
        {said.name ? "" : said.text}
      </p>
    </form>
  );
}

function valuesOf(form: HTMLFormElement): Record<string, string> {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
}

function refusedIn(form: HTMLFormElement, error: unknown, aliases: Record<string, string>): Said {
  if (!(error instanceof Problem))
    return { ...NOTHING, isBad: true, text: "The server does not answer; try again." };
  const fields = [...form.querySelectorAll<HTMLElement>("[data-field]")];
  const names = fields.map((one) => one.dataset.field ?? "");
  const name = inputNamed(error.field, names, aliases);
  const label = fields[names.indexOf(name)]?.querySelector("label")?.textContent ?? "";
  const at = typeof error.more.at === "number" ? error.more.at : undefined;
  return {
    name,
    at,
    isBad: true,
    text: name ? problemWords(error.detail, error.field, label) : error.message,
  };
}

export interface FieldProps {
  name: string;
  words: ComponentChildren;
  hint?: string;
  control: (marks: Marks) => ComponentChildren;
}

export interface Marks {
  id: string;
  name: string;
  "aria-invalid": boolean | undefined;
  "aria-describedby": string | undefined;
}

// A control with its name, its hint and, beside it, what the server said of it.
export function Field({ name, words, hint, control }: FieldProps) {
  const id = useId();
  const said = useContext(SaidContext);
  const isWrong = said.isBad && said.name === name;
  const about = [hint ? `${id}-hint` : "", isWrong ? `${id}-said` : ""].filter(Boolean).join(" ");
  return (
    <div class="field" data-field={name}>
      <label for={id}>{words}</label>
      {control({ id, name, "aria-invalid": isWrong || undefined, "aria-describedby": about || undefined })}
      {hint ? (
        <small id={`${id}-hint`} class="about">
          {hint}
        </small>
      ) : null}
      {isWrong ? (
        <small id={`${id}-said`} class="said bad" role="alert">
          {said.text}
        </small>
      ) : null}
    </div>
  );
}

export interface InputProps {
  name: string;
  words: string;
  type?: "text" | "email" | "password" | "number";
  hint?: string;
  value?: string;
  complete?: string;
  isOptional?: boolean;
  options?: readonly string[];
}

export function Input({
  name,
  words,
  type = "text",
  hint,
  value,
  complete,
  isOptional = false,
  options,
}: InputProps) {
  const id = useId();
  return (
    <Field
      name={name}
      words={words}
      hint={hint}
      control={(marks) => (
        <>
          <input
            {...marks}
            type={type as "text"}
            defaultValue={value}
            autocomplete={complete ?? "off"}
            required={!isOptional}
            minLength={complete === "new-password" ? 10 : undefined}
            list={options?.length ? `${id}-options` : undefined}
          />
          {options?.length ? (
            <datalist id={`${id}-options`}>
              {options.map((one) => (
                <option key={one} value={one} />
              ))}
            </datalist>
          ) : null}
        </>
      )}
    />
  );
}

export interface LinesProps {
  name: string;
  words: string;
  rows: number;
  hint?: string;
  value?: string;
  example?: string;
  isOptional?: boolean;
}

// Several lines of text.
export function Lines({ name, words, rows, hint, value, example, isOptional = false }: LinesProps) {
  return (
    <Field
      name={name}
      words={words}
      hint={hint}
      control={(marks) => (
        <textarea {...marks} rows={rows} defaultValue={value} placeholder={example} required={!isOptional} />
      )}
    />
  );
}

export interface ChoiceProps {
  name: string;
  words: string;
  value?: string;
  options: readonly (readonly [string, string])[];
}

// The option that is chosen is marked itself: a select has no default of its own.
export function Choice({ name, words, value, options }: ChoiceProps) {
  return (
    <Field
      name={name}
      words={words}
      control={(marks) => (
        <select {...marks}>
          {options.map(([one, says]) => (
            <option key={one} value={one} selected={one === value}>
              {says}
            </option>
          ))}
        </select>
      )}
    />
  );
}

export interface ChoicesProps {
  words: string;
  options: readonly (readonly [string, string])[];
}

// Things that are so or not; whatever is chosen is sent as "on".
export function Choices({ words, options }: ChoicesProps) {
  return (
    <fieldset class="choices">
      <legend>{words}</legend>
      {options.map(([name, says]) => (
        <label key={name} class="choice">
          <input type="checkbox" name={name} />
          <span>{says}</span>
        </label>
      ))}
    </fieldset>
  );
}
