// The field in which somebody names a brand whose lists are public.
import { useState } from "preact/hooks";
import { addressOf, go } from "../address.ts";

export function OpenByName() {
  const [name, setName] = useState("");
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim()) go(addressOf("/", name.trim()));
      }}
    >
      <label class="field">
        <span>Open a brand by its name</span>
        <input
          value={name}
          required
          maxLength={64}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <button type="submit">Open</button>
    </form>
  );
}
