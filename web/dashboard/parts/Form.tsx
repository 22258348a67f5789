// A form that sends JSON and shows what the server says of each field.
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { Problem } from "../api.ts";

export interface FormProps {
  label: string;
  button: string;
  send: (values: Record<string, string>) => Promise<string | undefined>;
  keeps?: boolean; // What was filled in stays after it was sent.
  children: ComponentChildren;
}

export function Form({ label, button, send, keeps = false, children }: FormProps) {
  const [said, setSaid] = useState<{ text: string; isBad: boolean }>({ text: "", isBad: false });
  const [isBusy, setIsBusy] = useState(false);
  return (
    <form
      class="form"
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        const values = Object.fromEntries(
          [...new FormData(form)].map(([name, value]) => [name, String(value)]),
        );
        setIsBusy(true);
        send(values)
          .then((words) => {
            setSaid({ text: words ?? "", isBad: false });
            if (words && !keeps) form.reset();
          })
          .catch((error: unknown) => {
            const words = error instanceof Problem ? error.message : "The server does not answer; try again.";
            setSaid({ text: words, isBad: true });
          })
          .finally(() => setIsBusy(false));
      }}
    >
      {children}
      <p class="acts">
        <button type="submit" class="main" disabled={isBusy}>
          {isBusy ? `${button}…` : button}
        </button>
      </p>
      <p class={said.isBad ? "said bad" : "said"} role={said.isBad ? "alert" : "status"}>
        {said.text}
      </p>
    </form>
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
    <label class="field">
      <span>{words}</span>
      <input
        name={name}
        type={type as "text"}
        defaultValue={value}
        autocomplete={complete ?? "off"}
        required={!isOptional}
        minLength={complete === "new-password" ? 10 : undefined}
        aria-describedby={hint ? `${id}-hint` : undefined}
        list={options?.length ? `${id}-options` : undefined}
      />
      {options?.length ? (
        <datalist id={`${id}-options`}>
          {options.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      ) : null}
      {hint ? (
        <small id={`${id}-hint`} class="about">
          {hint}
        </small>
      ) : null}
    </label>
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
    <label class="field">
      <span>{words}</span>
      <select name={name}>
        {options.map(([one, says]) => (
          <option key={one} value={one} selected={one === value}>
            {says}
          </option>
        ))}
      </select>
    </label>
  );
}
