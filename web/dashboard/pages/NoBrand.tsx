// No brand is known: how to make one, how to open one, how to sign in.
import { useState } from "preact/hooks";
import { addressOf, go } from "../address.ts";

export function NoBrand() {
  const [name, setName] = useState("");
  return (
    <section class="card first">
      <h1>No brand to show</h1>
      <p>
        Brands that have keys are not listed to strangers. If the lists of yours are public, open it by its
        name; otherwise sign in. <code>footfall brands add</code> makes a new one, and with <code>--dev</code>{" "}
        the first hit of a brand makes it.
      </p>
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
    </section>
  );
}
