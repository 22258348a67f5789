// One's own account: the password, and where one is signed in. It belongs to no brand, so whoever has none has it too.
import { useEffect } from "preact/hooks";
import { addressOf, go } from "../address.ts";
import { session } from "../api.ts";
import { useCell } from "../cell.ts";
import { Account } from "../parts/Account.tsx";
import { Loading } from "../parts/states.tsx";

export function AccountPage() {
  const who = useCell(session);
  const isNobody = who !== null && !who.person;
  useEffect(() => {
    if (isNobody) go(addressOf("/sign-in", "", { next: "/account" }), { replaces: true });
  }, [isNobody]);
  if (!who?.person) return <Loading />;
  return (
    <>
      <div class="head">
        <h1>Your account</h1>
        <p class="about">
          {who.person.name} · {who.person.email}
          {who.person.isOwner ? " · an owner of this instance" : ""}
        </p>
      </div>
      <Account />
    </>
  );
}
