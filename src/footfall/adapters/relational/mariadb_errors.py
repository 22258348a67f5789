"""What MySQL and MariaDB can say, told once in our words."""

from footfall.adapters.relational.sessions import Busy
from footfall.ports.errors import NoSpace, Throttled, Unavailable
from footfall.values.errors import FootfallError, Refused

_BUSY = frozenset({1205, 1213, 3572})  # waited long enough, stood in each other's way, did not want to wait
_MANY = frozenset({1040, 1203, 1226})
_FULL = frozenset({1021, 1114, 1041})
_UNFIT = frozenset({1048, 1062, 1216, 1217, 1264, 1292, 1364, 1366, 1406, 1451, 1452, 1644, 3819, 4025})
_NOT_THERE = frozenset({1054, 1146, 1109})
_LOST = frozenset({0, 1053, 1152, 1153, 1158, 1159, 1160, 1161, 1927, 2002, 2003, 2006, 2013, 2014, 2055})
_WHAT_TO_DO = {
    1044: "let the user use this database",
    1045: "give the password of the user",
    1049: "name a database that is there",
    1142: "give the user the right that is named",
    1227: "give the user the right that is named",
    1419: "let the user make triggers: SET GLOBAL log_bin_trust_function_creators = 1",
    1665: "set binlog_format to ROW or MIXED",
}


def in_our_words(error: Exception, where: str) -> FootfallError:
    """Return our error for what the driver raised."""
    code, said = _told(error)
    told = f"{where}: {code} {said}"
    if code in _BUSY:
        return Busy(f"{told}; nothing was written, try again")
    if code in _MANY:
        return Throttled(f"{told}; use fewer connections, or let the server have more")
    if code in _FULL:
        return NoSpace(f"{told}; nothing was written, make room and try again")
    if code in _UNFIT:
        return Refused("row", f"{said} ({where})")
    if code in _NOT_THERE:
        return Refused("outline", f"{said} ({where}): the outline does not fit, or is not prepared")
    return Unavailable(f"{told}; {_WHAT_TO_DO.get(code, 'see whether the server answers, and its log')}")


def is_lost_by(error: Exception) -> bool:
    """Tell whether the connection can be used no more."""
    return _told(error)[0] in _LOST


def _told(error: Exception) -> tuple[int, str]:
    code = error.args[0] if error.args and isinstance(error.args[0], int) else 0
    return code, str(error.args[1] if len(error.args) > 1 else error)[:500]
