"""Stacks of CloudFormation as a deployment sees them: what one is, what a change would do, and why one failed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from footfall.adapters.aws.account_calls import called
from footfall.values.errors import FootfallError

WAIT_S_FIRST = 0.5
WAIT_S_MAX = 5.0  # CloudFormation takes minutes and refuses who asks too often.
WAITS_MAX = 1_000  # Over an hour: a distribution may take half of that.
EVENTS_PAGES_MAX = 20
CAPABILITIES = ["CAPABILITY_IAM"]
UNCHANGED = ("didn't contain changes", "No updates are to be performed")


class StackFailed(FootfallError):
    """CloudFormation did not bring the stack where it should be; the message has its first reason."""


class StackBusy(FootfallError):
    """Another change of the stack is under way."""


class NoSuchStack(FootfallError):
    """There is no stack of that name in the region."""


@dataclass(frozen=True, slots=True)
class Stack:
    """A stack as it is now."""

    name: str
    state: str
    reason: str
    parameters: Mapping[str, str]
    outputs: Mapping[str, str]

    @property
    def is_busy(self) -> bool:
        """Tell whether something is being done to it."""
        return self.state.endswith("_IN_PROGRESS")

    @property
    def is_whole(self) -> bool:
        """Tell whether it stands and can be used and changed."""
        return self.state in ("CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE", "IMPORT_COMPLETE")


@dataclass(frozen=True, slots=True)
class Resource:
    """One part of a stack."""

    name: str
    kind: str
    id: str
    state: str


@dataclass(frozen=True, slots=True)
class Change:
    """What a change would do to one part of a stack."""

    action: str
    name: str
    kind: str
    replaces: str  # "yes", "no", or "perhaps" when CloudFormation cannot know before it does it
    because: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """A change that was prepared and not made."""

    id: str
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class StackOrder:
    """What a stack is to be made of."""

    name: str
    template_url: str
    parameters: Mapping[str, str]
    keeps: tuple[str, ...] = ()  # Parameters that stay as they are.


class Stacks:
    """The stacks of an account in a region."""

    def __init__(self, client: Any, *, pause: Callable[[float], None]) -> None:
        self._client = client
        self._pause = pause

    def stack(self, name: str) -> Stack | None:
        """Return the stack, or nothing when there is none."""
        try:
            answer = called("cloudformation:DescribeStacks", lambda: self._client.describe_stacks(StackName=name))
        except FootfallError as error:
            if "does not exist" in str(error):
                return None
            raise
        return _stack_from_answer(answer["Stacks"][0])

    def require_stack(self, name: str) -> Stack:
        """Return the stack, or raise when there is none."""
        stack = self.stack(name)
        if stack is None or stack.state in ("DELETE_COMPLETE", "REVIEW_IN_PROGRESS"):
            raise NoSuchStack(f"There is no stack {name!r} here: check --name and --region, or make it with up")
        return stack

    def resources(self, name: str) -> list[Resource]:
        """Return the parts of a stack."""
        found: list[Resource] = []
        place: dict[str, str] = {}
        while True:
            page = called(
                "cloudformation:ListStackResources",
                lambda place=place: self._client.list_stack_resources(StackName=name, **place),
            )
            found += [
                Resource(
                    one["LogicalResourceId"],
                    one["ResourceType"],
                    one.get("PhysicalResourceId", ""),
                    one["ResourceStatus"],
                )
                for one in page["StackResourceSummaries"]
            ]
            if not page.get("NextToken"):
                return found
            place = {"NextToken": page["NextToken"]}

    def create(self, order: StackOrder) -> None:
        """Begin to make a stack; what was made of one that fails is removed again."""
        called(
            "cloudformation:CreateStack",
            lambda: self._client.create_stack(
                StackName=order.name,
                TemplateURL=order.template_url,
                Parameters=_parameters(order),
                Capabilities=CAPABILITIES,
                OnFailure="ROLLBACK",
            ),
        )

    def prepared(self, order: StackOrder, *, name: str) -> ChangeSet | None:
        """Prepare a change and return what it would do; nothing when it would do nothing."""
        made = called(
            "cloudformation:CreateChangeSet",
            lambda: self._client.create_change_set(
                StackName=order.name,
                ChangeSetName=name,
                ChangeSetType="UPDATE",
                TemplateURL=order.template_url,
                Parameters=_parameters(order),
                Capabilities=CAPABILITIES,
            ),
        )
        pages = list(self._change_pages(made["Id"], order.name))
        if pages[0]["Status"] == "FAILED":
            reason = pages[0].get("StatusReason", "")
            self.discard(ChangeSet(made["Id"], ()), order.name)
            if any(words in reason for words in UNCHANGED):
                return None
            raise StackFailed(f"The change cannot be made: {reason}")
        changes = [change_from_answer(one["ResourceChange"]) for page in pages for one in page.get("Changes", [])]
        return ChangeSet(made["Id"], tuple(changes))

    def _change_pages(self, id: str, stack: str) -> Iterator[Any]:
        place: dict[str, str] = {}
        for wait_s in _waits():
            page = called(
                "cloudformation:DescribeChangeSet",
                lambda place=place: self._client.describe_change_set(ChangeSetName=id, StackName=stack, **place),
            )
            if page["Status"] in ("CREATE_PENDING", "CREATE_IN_PROGRESS"):
                self._pause(wait_s)
                continue
            yield page
            if not page.get("NextToken"):
                return
            place = {"NextToken": page["NextToken"]}
        raise StackFailed(f"CloudFormation does not finish the change set {id}: look at it in the console")

    def execute(self, change_set: ChangeSet, stack: str) -> None:
        """Begin to make a prepared change."""
        called(
            "cloudformation:ExecuteChangeSet",
            lambda: self._client.execute_change_set(ChangeSetName=change_set.id, StackName=stack),
        )

    def discard(self, change_set: ChangeSet, stack: str) -> None:
        """Forget a prepared change."""
        called(
            "cloudformation:DeleteChangeSet",
            lambda: self._client.delete_change_set(ChangeSetName=change_set.id, StackName=stack),
        )

    def delete(self, name: str) -> None:
        """Begin to remove a stack; what it retains stays."""
        called("cloudformation:DeleteStack", lambda: self._client.delete_stack(StackName=name))

    def settled(self, name: str, *, parts: int, on_share: Callable[[float], None]) -> Stack | None:
        """Wait until nothing is being done to the stack, and return it; nothing when it is gone."""
        for wait_s in _waits():
            stack = self.stack(name)
            if stack is None or stack.state == "DELETE_COMPLETE":
                return None
            if not stack.is_busy:
                return stack
            done = sum(one.state.endswith("_COMPLETE") for one in self.resources(name))
            on_share(min(1.0, done / max(1, parts)))
            self._pause(wait_s)
        raise StackBusy(f"{name} is still not settled; `footfall deploy status --name {name}` tells when it is")

    def last_event(self, name: str) -> str:
        """Return the id of the latest event, so that what comes later can be told from it."""
        answer = called(
            "cloudformation:DescribeStackEvents", lambda: self._client.describe_stack_events(StackName=name)
        )
        return answer["StackEvents"][0]["EventId"] if answer["StackEvents"] else ""

    def left_by_rollback(self, stack: Stack) -> list[Resource]:
        """Return what a stack that was never made whole has left behind and does not count among its parts."""
        if not stack.state.startswith("ROLLBACK_"):
            return []
        known = {one.id for one in self.resources(stack.name)}
        left = {
            event["PhysicalResourceId"]: Resource(
                event["LogicalResourceId"], event["ResourceType"], event["PhysicalResourceId"], event["ResourceStatus"]
            )
            for page in self._event_pages(stack.name)
            for event in page
            if event["ResourceStatus"] == "DELETE_SKIPPED" and event.get("PhysicalResourceId")
        }
        return [one for id, one in left.items() if id not in known]

    def _event_pages(self, name: str) -> Iterator[Sequence[Mapping[str, Any]]]:
        """Yield what happened to a stack, the latest first."""
        place: dict[str, str] = {}
        for _ in range(EVENTS_PAGES_MAX):
            page = called(
                "cloudformation:DescribeStackEvents",
                lambda place=place: self._client.describe_stack_events(StackName=name, **place),
            )
            yield page["StackEvents"]
            if not page.get("NextToken"):
                return
            place = {"NextToken": page["NextToken"]}

    def first_failure(self, name: str, *, after: str = "") -> str:
        """Return the first failure after an event, with its reason: those behind it only follow from it."""
        failure = ""
        for page in self._event_pages(name):
            for event in page:
                if event["EventId"] == after:
                    return failure
                if event["ResourceStatus"].endswith("_FAILED"):
                    reason = event.get("ResourceStatusReason", "without a reason")
                    failure = f"{event['LogicalResourceId']} ({event['ResourceType']}): {reason}"
        return failure


def _waits() -> Iterator[float]:
    wait_s = WAIT_S_FIRST
    for _ in range(WAITS_MAX):
        yield wait_s
        wait_s = min(WAIT_S_MAX, wait_s * 2)


def _stack_from_answer(answer: Mapping[str, Any]) -> Stack:
    return Stack(
        answer["StackName"],
        answer["StackStatus"],
        answer.get("StackStatusReason", ""),
        {one["ParameterKey"]: one.get("ParameterValue", "") for one in answer.get("Parameters", [])},
        {one["OutputKey"]: one["OutputValue"] for one in answer.get("Outputs", [])},
    )


def change_from_answer(answer: Mapping[str, Any]) -> Change:
    """Return what CloudFormation says that it would do to one part of a stack."""
    details: Sequence[Mapping[str, Any]] = answer.get("Details", [])
    because = {one.get("Target", {}).get("Name") or one.get("Target", {}).get("Attribute", "") for one in details}
    replaces = {"True": "yes", "Conditional": "perhaps"}.get(answer.get("Replacement", ""), "no")
    return Change(
        answer["Action"],
        answer["LogicalResourceId"],
        answer["ResourceType"],
        replaces,
        tuple(sorted(name for name in because if name)),
    )


def _parameters(order: StackOrder) -> list[dict[str, Any]]:
    given = [{"ParameterKey": key, "ParameterValue": value} for key, value in order.parameters.items()]
    return [*given, *({"ParameterKey": key, "UsePreviousValue": True} for key in order.keeps)]
