// Migration: how far the move of a database into the brand's catalogue is, and what to do next.
import { addressOf } from "../address.ts";
import { useAsked } from "../asking.ts";
import { useStanding } from "../context.ts";
import {
  barWords,
  commandOf,
  EVERY_MS,
  isSilent,
  lasting,
  type Migration,
  nextSteps,
  paceWords,
  shareWords,
  stateWords,
  timeLeft,
} from "../migrations.ts";
import { Figure } from "../parts/Figure.tsx";
import { Copied } from "../parts/FirstSteps.tsx";
import { Link } from "../parts/Link.tsx";
import { Shown } from "../parts/states.tsx";
import { ago, counted, whole } from "../words.ts";

const PATH = "/v1/migrations";

interface Told {
  items: Migration[];
}

export function MigrationPage() {
  const { brand } = useStanding();
  const asked = useAsked<Told>(PATH, { brand: brand.brand }, EVERY_MS);
  return (
    <>
      <div class="head">
        <h1>Migration</h1>
        <Link to={addressOf("/catalogue", brand.brand)}>Metrics</Link>
      </div>
      <Shown asked={asked} what="Asking how far it is">
        {({ items }) => (items.length ? items.map((one) => <Move key={one.entity} one={one} />) : <None />)}
      </Shown>
    </>
  );
}

// The way here from the catalogue; nothing where nothing is moved.
export function MigrationLink() {
  const { brand } = useStanding();
  const [first] = useAsked<Told>(PATH, { brand: brand.brand }, 10 * EVERY_MS).value?.items ?? [];
  if (!first) return null;
  return (
    <p class="warning">
      A database {first.endedAt === null ? "is being" : "was"} moved into this catalogue: {barWords(first)}.{" "}
      <Link to={addressOf("/migration", brand.brand)}>See the migration</Link>
    </p>
  );
}

function Move({ one }: { one: Migration }) {
  const { times } = useStanding();
  const id = `move-${one.entity}`;
  const heard = ago(one.ageMs / 1_000);
  return (
    <>
      <section class="card move" aria-labelledby={id}>
        <div class="card-head">
          <h2 id={id}>
            Moving every <bdi>{one.entity}</bdi>
          </h2>
          <span class="about">
            begun {times.dateOf(one.startedAt)}
            {one.endedAt === null ? "" : `, ended ${times.dateOf(one.endedAt)}`}
          </span>
        </div>
        {isSilent(one) ? (
          <p class="warning" role="alert">
            The mover was last heard of {heard}. It may have stopped; what follows is what it said then.
          </p>
        ) : null}
        <p class="done">
          <strong>{shareWords(one)}</strong> {barWords(one)}
        </p>
        <progress
          value={one.all ? one.migrated : 1}
          max={one.all || 1}
          aria-labelledby={id}
          aria-valuetext={`${shareWords(one)}: ${barWords(one)}`}
        />
      </section>
      <Figures one={one} heard={heard} />
      <div class="columns even">
        <Next one={one} />
        <Blocked one={one} />
      </div>
    </>
  );
}

function Figures({ one, heard }: { one: Migration; heard: string }) {
  const verified = one.differences !== null;
  return (
    <div class="figures">
      <Figure name="State" value={stateWords(one)} says={`last heard of ${heard}`} />
      <Figure name="Moved" value={whole(one.migrated)} says={`of ${whole(one.all)}`} />
      <Figure name="Moving" value={whole(one.moving)} says="at this moment" />
      <Figure name="Left" value={whole(one.left)} says="still to be moved" />
      <Figure name="Set aside" value={whole(one.setAside)} says="could not be moved" />
      <Figure name="Time left" value={timeLeft(one)} says={paceWords(one)} />
      <Figure
        name="Lag"
        value={lasting(one.lagMs)}
        says={one.lag ? `${counted(one.lag, "change")} of the old side to carry over` : "no change waits"}
      />
      <Figure
        name="Differences"
        value={verified ? whole(one.differences ?? 0) : "–"}
        says={verified ? (one.differences ? "do not switch" : "both sides are equal") : "not verified yet"}
      />
    </div>
  );
}

function Next({ one }: { one: Migration }) {
  return (
    <section class="card" aria-label="What to do next">
      <h2>What to do next</h2>
      <ol class="steps">
        {nextSteps(one).map(({ says, command }) => (
          <li key={says}>
            <p>{says}</p>
            {command ? <Copied name={`the command ${command}`} text={commandOf(command)} /> : null}
          </li>
        ))}
      </ol>
    </section>
  );
}

function Blocked({ one }: { one: Migration }) {
  const rows = one.blocked.filter(({ count }) => count);
  return (
    <section class="card" aria-label="How long writers waited">
      <h2>How long writers waited</h2>
      {rows.length ? (
        <table>
          <thead>
            <tr>
              <th scope="col">A handover took</th>
              <th scope="col" class="number">
                How often
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ upToMs, count }) => (
              <tr key={upToMs}>
                <th scope="row">{upToMs === null ? "longer" : `up to ${lasting(upToMs)}`}</th>
                <td class="number">{whole(count)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : (
        <p class="about">Nobody waited: nothing was handed over yet.</p>
      )}
    </section>
  );
}

const FIRST = [
  ["Look whether the mapping fits; nothing is changed.", "check"],
  ["Have changes noted from now on.", "prepare"],
  ["Move, while everybody goes on reading and writing.", "run"],
] as const;

function None() {
  return (
    <section class="card first" aria-labelledby="first-title">
      <h2 id="first-title">Nothing is being moved into this catalogue</h2>
      <p>
        A catalogue that lies in MySQL, MariaDB or PostgreSQL is moved here without stopping whoever uses it.
        On the server, from a terminal, with your own database and mapping:
      </p>
      <ol class="steps">
        {FIRST.map(([says, act]) => (
          <li key={act}>
            <p>{says}</p>
            <Copied name={`the command ${act}`} text={commandOf(act)} />
          </li>
        ))}
      </ol>
      <p class="about">This page then shows how far it is, by itself.</p>
    </section>
  );
}
