// Who may see and do what with a brand, and who is invited.
import { useState } from "preact/hooks";
import { send } from "../api.ts";
import { useAsked } from "../asking.ts";
import { useStanding } from "../context.ts";
import { Acting } from "./Acting.tsx";
import { Copied } from "./FirstSteps.tsx";
import { Form, Input } from "./Form.tsx";
import { Shown } from "./states.tsx";

interface Member {
  id: string;
  name: string;
  email: string;
  role: string;
}

interface Invitation {
  id: string;
  role: string;
  email?: string | null;
  expires?: string;
}

const ROLES = ["viewer", "editor", "admin"];

export function Members() {
  const { brand, times } = useStanding();
  const query = { brand: brand.brand };
  const asked = useAsked<{ members: Member[] }>("/v1/members", query);
  const invited = useAsked<{ invitations: Invitation[] }>("/v1/invitations", query);
  const [link, setLink] = useState("");
  const [said, setSaid] = useState("");
  const change = async (member: Member, role: string) => {
    try {
      await send("PUT", `/v1/members/${member.id}`, { role }, query);
      setSaid("");
    } catch (error) {
      setSaid(error instanceof Error && error.message ? error.message : "That did not work.");
    }
    asked.again();
  };
  if (asked.problem?.status === 404) return null;
  return (
    <section class="card" aria-labelledby="members-title">
      <h2 id="members-title">Members</h2>
      <p class="said bad" role="alert">
        {said}
      </p>
      <Shown asked={asked} what="Reading the members">
        {({ members }) =>
          members.length ? (
            <section class="scroll" tabIndex={0} aria-label="All members">
              <table class="stacked">
                <thead>
                  <tr>
                    <th scope="col">Name</th>
                    <th scope="col">E-mail</th>
                    <th scope="col">Role</th>
                    <th scope="col">
                      <span class="hidden">Change</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {members.map((member) => (
                    <tr key={member.id}>
                      <th scope="row">{member.name}</th>
                      <td data-name="E-mail">{member.email}</td>
                      <td data-name="Role">
                        {ROLES.includes(member.role) ? (
                          <select
                            aria-label={`Role of ${member.name}`}
                            value={member.role}
                            onChange={(event) => void change(member, event.currentTarget.value)}
                          >
                            {ROLES.map((role) => (
                              <option key={role}>{role}</option>
                            ))}
                          </select>
                        ) : (
                          member.role
                        )}
                      </td>
                      <td class="acts">
                        {ROLES.includes(member.role) ? (
                          <Acting
                            words="Remove"
                            about={member.name}
                            isGrave
                            act={async () => {
                              await send("DELETE", `/v1/members/${member.id}`, undefined, query);
                              asked.again();
                            }}
                          />
                        ) : null}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </section>
          ) : (
            <p class="about">
              Nobody has a role in this brand yet. Owners of the instance may do everything in it.
            </p>
          )
        }
      </Shown>
      {invited.value?.invitations.length ? (
        <ul class="brief">
          {invited.value.invitations.map((one) => (
            <li key={one.id}>
              <span>
                {one.email || "whoever has the link"}, as {one.role}
                {one.expires ? `, until ${times.momentOf(one.expires)}` : ""}
              </span>
              <Acting
                words="Take back"
                about={`the invitation of ${one.email || one.id}`}
                act={async () => {
                  await send("DELETE", `/v1/invitations/${one.id}`, undefined, query);
                  invited.again();
                }}
              />
            </li>
          ))}
        </ul>
      ) : null}
      {link ? (
        <div role="status">
          <p>Send this link; it works once.</p>
          <Copied name="the link" text={link} />
        </div>
      ) : null}
      <Form
        label="Invite somebody"
        button="Invite"
        send={async ({ role, email }) => {
          const made = await send<{ link?: string }>("POST", "/v1/invitations", {
            brand: brand.brand,
            role,
            ...(email ? { email } : {}),
          });
          setLink(made.link ?? "");
          invited.again();
          return "Invited.";
        }}
      >
        <div class="row">
          <Input name="email" words="E-mail" type="email" isOptional />
          <label class="field">
            <span>Role</span>
            <select name="role">
              <option value="viewer">viewer: sees everything, changes nothing</option>
              <option value="editor">editor: pins, hides, decides on what was held</option>
              <option value="admin">admin: also settings, keys and members</option>
            </select>
          </label>
        </div>
      </Form>
    </section>
  );
}
