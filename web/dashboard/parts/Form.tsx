// A form that sends JSON and shows what the server says of each field.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Problem } from "../api.ts";

export interface FormProps {
  label: string;
  button: string;
  send: (values: Record<string, string>) => Promise<string | undefined>;
  children: ComponentChildren;
}

export function Form({ label, button, send, children }: FormProps) {
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
            if (words) form.reset();
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
          {button}
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
}

export function Input({ name, words, type = "text", hint, value, complete, isOptional = false }: InputProps) {
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
        aria-describedby={hint ? `${name}-hint` : undefined}
      />
      {hint ? (
        <small id={`${name}-hint`} class="about">
          {hint}
        </small>
      ) : null}
    </label>
  );
}
