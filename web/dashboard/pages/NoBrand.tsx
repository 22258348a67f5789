// No brand is known: how to make one, how to open one, how to sign in.
import { session } from "../api.ts";
import { useCell } from "../cell.ts";
import { Link } from "../parts/Link.tsx";
import { NewBrand } from "../parts/NewBrand.tsx";
import { OpenByName } from "../parts/OpenByName.tsx";

export function NoBrand() {
  const who = useCell(session);
  if (who?.person?.isOwner) {
    return (
      <>
        <div class="head">
          <h1>Your first brand</h1>
        </div>
        <NewBrand isFirst />
      </>
    );
  }
  if (who?.person) {
    return (
      <section class="card first">
        <h1>No brand yet</h1>
        <p>
          You have no role in any brand. Ask an administrator of yours to invite {who.person.email}; what you
          may see appears here then. Your password, and where you are signed in, are in{" "}
          <Link to="/account">your account</Link>.
        </p>
      </section>
    );
  }
  return (
    <section class="card first">
      <h1>No brand to show</h1>
      <p>
        Brands that have keys are not listed to strangers. If the lists of yours are public, open it by its
        name; otherwise sign in. <code>footfall brands add</code> makes a new one, and with <code>--dev</code>{" "}
        the first hit of a brand makes it.
      </p>
      <OpenByName />
    </section>
  );
}
