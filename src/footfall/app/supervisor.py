"""What a service supervisor such as systemd is told: that the instance is up, still alive, and about to stop."""

import os
import socket

VARIABLE, WATCHDOG, WATCHED = "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"


class Supervisor:
    """The supervisor that started this process; silent when none did."""

    def __init__(self, address: str = "", *, watchdog_us: int = 0) -> None:
        # An address that starts with an @ is not a file: the kernel wants a zero byte there.
        self._address = "\0" + address[1:] if address.startswith("@") else address
        self._watchdog_us = watchdog_us

    @property
    def alive_every_s(self) -> float | None:
        """Return how often it wants to hear that the process is alive; None when it does not."""
        return self._watchdog_us / 2_000_000 if self._watchdog_us and self._address else None

    def tell(self, state: str) -> None:
        """Send a state such as READY=1; a supervisor that does not listen is no reason to stop."""
        if not self._address:
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as line:
                line.connect(self._address)
                line.sendall(state.encode())
        except OSError:
            return


def supervisor() -> Supervisor:
    """Return the supervisor that the environment names."""
    watchdog, watched = os.environ.get(WATCHDOG, ""), os.environ.get(WATCHED, "")
    is_ours = watched in ("", str(os.getpid()))
    usable_us = int(watchdog) if watchdog.isascii() and watchdog.isdigit() and is_ours else 0
    return Supervisor(os.environ.get(VARIABLE, ""), watchdog_us=usable_us)
