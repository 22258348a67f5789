"""Deploying footfall on AWS: a stack is made, changed, looked at and removed, and data outlives all but a wish."""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import footfall
from footfall.adapters.aws.account import Account, Mapped
from footfall.adapters.aws.sessions import Ground
from footfall.adapters.aws.stacks import (
    Change,
    ChangeSet,
    NoSuchStack,
    Resource,
    Stack,
    StackBusy,
    StackFailed,
    StackOrder,
    Stacks,
)
from footfall.app import deploying_template as template
from footfall.app.deploying_archive import Packed, version_in_name
from footfall.values.errors import FootfallError

CODE_BUCKET = "footfall-code"


class AlreadyThere(FootfallError):
    """There is a stack of that name."""


class WouldReplaceData(FootfallError):
    """A change would make something anew that holds data, and empty."""


@dataclass(frozen=True, slots=True)
class Deployment:
    """Which stack is meant, and where."""

    name: str
    ground: Ground
    pause: Callable[[float], None]
    bucket: str = ""
    on_share: Callable[[float], None] = field(default=lambda _share: None)

    def account(self) -> Account:
        """Return the account that it is in."""
        return Account(self.ground)

    def stacks(self, account: Account) -> Stacks:
        """Return the stacks of that account."""
        return Stacks(account.client("cloudformation"), pause=self.pause)


@dataclass(frozen=True, slots=True)
class Health:
    """How a deployment is doing."""

    stack: Stack
    deployed: str
    installed: str
    alarms: Mapping[str, str]
    mapping: Mapped | None
    lag_ms: int | None


@dataclass(frozen=True, slots=True)
class Cleared:
    """What was removed and what stayed."""

    removed: tuple[Resource, ...]
    stays: tuple[Resource, ...]
    code_bucket: str


def require_absent(deployment: Deployment) -> None:
    """Raise when there is a stack of that name."""
    before = deployment.stacks(deployment.account()).stack(deployment.name)
    if before is not None and before.state not in ("DELETE_COMPLETE", "REVIEW_IN_PROGRESS"):
        raise AlreadyThere(_what_instead(before))


def up(deployment: Deployment, packed: Packed, given: Mapping[str, str]) -> Stack:
    """Make the stack and return it when it stands."""
    template.require_parameters(given)
    account = deployment.account()
    stacks = deployment.stacks(account)
    require_absent(deployment)
    template.require_used_shards(given, {})
    order = _order(deployment, account, packed, given)
    stacks.create(order)
    return _standing(deployment, stacks, after="")


def _what_instead(stack: Stack) -> str:
    if stack.state in ("ROLLBACK_COMPLETE", "CREATE_FAILED", "ROLLBACK_FAILED"):
        # Its tables and its bucket stay even so, and nothing was ever in them.
        clears = f"`footfall deploy clear --with-data --name {stack.name}`"
        return f"{stack.name} failed when it was made: {clears}, then up again"
    return f"{stack.name} is there ({stack.state}): `footfall deploy update --name {stack.name}` changes it"


def prepare(deployment: Deployment, packed: Packed, given: Mapping[str, str]) -> ChangeSet | None:
    """Prepare the change to what is installed here, and return what it would do; nothing when all is so already."""
    template.require_parameters(given)
    account = deployment.account()
    stacks = deployment.stacks(account)
    stack = stacks.require_stack(deployment.name)
    template.require_kept(given, stack.parameters)
    template.require_used_shards(given, stack.parameters)
    if stack.is_busy:
        raise StackBusy(f"{stack.name} is being changed ({stack.state}): wait until it is done")
    order = _order(deployment, account, packed, given, before=stack)
    return stacks.prepared(order, name=f"to-{footfall.__version__.replace('.', '-')}-{packed.digest[:16]}")


def endangered(change_set: ChangeSet) -> tuple[Change, ...]:
    """Return the changes that would, or could, make anew or remove what holds data."""
    return tuple(
        one
        for one in change_set.changes
        if one.kind in template.HOLDS_DATA and (one.action == "Remove" or one.replaces != "no")
    )


def change(deployment: Deployment, change_set: ChangeSet, *, may_replace_data: bool) -> Stack:
    """Make a prepared change and return the stack; one that would cost data only when that is meant."""
    stacks = deployment.stacks(deployment.account())
    lost = endangered(change_set)
    if lost and not may_replace_data:
        stacks.discard(change_set, deployment.name)
        names = ", ".join(f"{one.name} ({' and '.join(one.because) or one.action.lower()})" for one in lost)
        raise WouldReplaceData(
            f"Nothing was changed: {names} would be made anew or removed, with its data. Leave out what makes it so, "
            "or say --replace-data when its data are not needed any more"
        )
    after = stacks.last_event(deployment.name)
    stacks.execute(change_set, deployment.name)
    return _standing(deployment, stacks, after=after)


def leave(deployment: Deployment, change_set: ChangeSet) -> None:
    """Forget a prepared change."""
    deployment.stacks(deployment.account()).discard(change_set, deployment.name)


def status(deployment: Deployment, *, now_ms: int) -> Health:
    """Return how the deployment is doing."""
    account = deployment.account()
    stacks = deployment.stacks(account)
    stack = stacks.require_stack(deployment.name)
    found = {one.name: one for one in stacks.resources(deployment.name)}
    mapping, count = found.get("CountMapping"), found.get("CountFunction")
    return Health(
        stack,
        version_in_name(stack.parameters.get("CodeKey", "")),
        footfall.__version__,
        # By name, not by how names begin: another stack's may begin with this one's.
        account.alarms([one.id for one in found.values() if one.kind == "AWS::CloudWatch::Alarm" and one.id]),
        account.mapping(mapping.id) if mapping and mapping.id else None,
        account.lag_ms(count.id, now_ms=now_ms) if count and count.id else None,
    )


def clear(deployment: Deployment, *, with_data: bool) -> Cleared:
    """Remove the stack; what holds data stays unless it is to go, too."""
    account = deployment.account()
    stacks = deployment.stacks(account)
    stack = stacks.require_stack(deployment.name)
    before = [*stacks.resources(deployment.name), *stacks.left_by_rollback(stack)]
    # The stream is only transport, and salts must not outlive their use: the template keeps neither.
    kept = tuple(one for one in before if one.name in KEPT and one.id and one.state != "DELETE_COMPLETE")
    after = stacks.last_event(deployment.name)
    stacks.delete(deployment.name)
    left = stacks.settled(deployment.name, parts=len(before), on_share=deployment.on_share)
    if left is not None:
        failure = stacks.first_failure(deployment.name, after=after) or left.reason
        raise StackFailed(f"{deployment.name} could not be removed ({left.state}): {failure}")
    if with_data:
        _remove(account, kept)
    gone = tuple(one for one in before if with_data or one not in kept)
    return Cleared(gone, () if with_data else kept, stack.parameters.get("CodeBucket", ""))


KEPT = ("StoreTable", "AccountsTable", "CatalogTable", "MetricsTable", "AudienceTable", "RowsTable", "RawBucket")


def _remove(account: Account, resources: tuple[Resource, ...]) -> None:
    for one in resources:
        if one.kind == "AWS::S3::Bucket":
            account.remove_bucket(one.id)
        else:
            account.remove_table(one.id)


def _order(
    deployment: Deployment, account: Account, packed: Packed, given: Mapping[str, str], before: Stack | None = None
) -> StackOrder:
    """Put archive and template where CloudFormation reads them, and return what to make of them."""
    bucket = deployment.bucket or (before.parameters.get("CodeBucket", "") if before else "")
    bucket = bucket or f"{CODE_BUCKET}-{account.id}-{account.region}"
    account.require_bucket(bucket)
    account.put_file(bucket, packed.name, packed.path)
    address = account.put(bucket, template.template_name(), template.template_bytes())
    ours = {
        "CodeBucket": bucket,
        "CodeKey": packed.name,
        "Architecture": packed.target.architecture,
        "Runtime": f"python{packed.target.runtime}",
    }
    # Of what nobody names, that stays which the stack was given; what is new in the template has its own value.
    known = set(before.parameters) & set(template.parameters()) if before else set[str]()
    made = {} if template.PROXY_PROOF in known else {template.PROXY_PROOF: secrets.token_urlsafe(32)}
    values = {**made, **given, **ours}
    return StackOrder(deployment.name, address, values, tuple(sorted(known - set(values))))


def _standing(deployment: Deployment, stacks: Stacks, *, after: str) -> Stack:
    stack = stacks.settled(deployment.name, parts=template.parts(), on_share=deployment.on_share)
    if stack is None:
        raise NoSuchStack(f"{deployment.name} was removed by somebody else meanwhile")
    if stack.state not in ("CREATE_COMPLETE", "UPDATE_COMPLETE"):
        failure = stacks.first_failure(deployment.name, after=after) or stack.reason
        raise StackFailed(f"{deployment.name} is {stack.state}: {failure}")
    return stack
