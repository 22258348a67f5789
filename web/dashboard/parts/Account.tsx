// One's own account: the password, and where one is signed in.
import { send } from "../api.ts";
import { useAsked } from "../asking.ts";
import { useStanding } from "../context.ts";
import { Times } from "../words.ts";
import { Form, Input } from "./Form.tsx";
import { Shown } from "./states.tsx";

interface SignedIn {
  id: string;
  browser: string;
  created: string;
  lastUsed: string;
  isThis: boolean;
}

const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function Account() {
  const standing = useStanding();
  // Without a brand there is no zone but the reader's own.
  const times = standing.brand.brand ? standing.times : new Times(OWN_ZONE);
  const asked = useAsked<{ sessions: SignedIn[] }>("/v1/sessions");
  return (
    <>
      <section class="card" aria-labelledby="password-title">
        <h2 id="password-title">Password</h2>
        <Form
          label="Change your password"
          button="Change the password"
          aliases={{ new: "fresh", password: "old" }}
          send={async ({ old, fresh }) => {
            await send("POST", "/v1/password", { old, new: fresh });
            return "Changed.";
          }}
        >
          <Input name="old" words="Password now" type="password" complete="current-password" />
          <Input
            name="fresh"
            words="New password"
            type="password"
            complete="new-password"
            hint="10 characters or more"
          />
        </Form>
      </section>
      <section class="card" aria-labelledby="signed-in-title">
        <h2 id="signed-in-title">Where you are signed in</h2>
        <Shown asked={asked} what="Reading where you are signed in">
          {({ sessions }) => (
            <table class="stacked">
              <caption class="hidden">Where you are signed in</caption>
              <thead>
                <tr>
                  <th scope="col">Signed in with</th>
                  <th scope="col">Since</th>
                  <th scope="col">Last used</th>
                </tr>
              </thead>
              <tbody>
                {sessions.map((one) => (
                  <tr key={one.id}>
                    <th scope="row">
                      {one.browser} {one.isThis ? <span class="tag">this one</span> : null}
                    </th>
                    <td data-name="Since">{times.momentOf(one.created)}</td>
                    <td data-name="Last used">{times.momentOf(one.lastUsed)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </Shown>
        <p class="acts">
          <button
            type="button"
            onClick={() => void send("DELETE", "/v1/sessions").finally(() => location.assign("/sign-in"))}
          >
            Sign out everywhere
          </button>
        </p>
      </section>
    </>
  );
}
