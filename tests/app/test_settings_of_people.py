"""Settings of people, links and mail that do not go together stop the start with a sentence."""

import pytest

from footfall.app.kept_settings import keep_settings, kept_settings
from footfall.app.settings import ImpossibleSetting, Settings
from footfall.app.settings_of_people import register_brands
from footfall.app.settings_reading import read_settings

URL, FROM = "https://footfall.example.com", "footfall@example.com"


@pytest.mark.parametrize(
    ("variables", "says"),
    [
        ({"PEOPLE_URL": "footfall.example.com"}, "people_url"),
        ({"PEOPLE_URL": "https://footfall.example.com/"}, "without a path"),
        ({"PEOPLE_URL": "https://Footfall.example.com"}, "small letters"),
        ({"PEOPLE_URL": "ftp://footfall.example.com"}, "people_url"),
        ({"SMTP_HOST": "mail.example.com"}, "people_url or smtp_from is empty"),
        ({"SMTP_HOST": "mail.example.com", "PEOPLE_URL": URL}, "smtp_from"),
        ({"SMTP_HOST": "mail.example.com", "SMTP_FROM": FROM}, "people_url"),
        ({"PEOPLE_REGISTER": "ajar"}, "closed, open"),
        ({"PEOPLE_REGISTER_BRANDS": "abc,A B"}, "names of brands"),
        ({"PEOPLE_REGISTER_BRANDS": ",".join(f"b{n}" for n in range(21))}, "at most 20"),
        ({"SMTP_SECURITY": "ssl"}, "starttls, tls, none"),
    ],
)
def test_what_does_not_go_together_is_refused(variables: dict[str, str], says: str) -> None:
    with pytest.raises(ImpossibleSetting, match=says):
        read_settings(variables={f"FOOTFALL_{name}": value for name, value in variables.items()})


def test_what_does_is_taken() -> None:
    given = {"SMTP_HOST": "mail", "SMTP_FROM": FROM, "PEOPLE_URL": URL, "PEOPLE_REGISTER_BRANDS": "abc, xyz"}
    settings = read_settings(variables={f"FOOTFALL_{name}": value for name, value in given.items()})
    assert register_brands(settings) == ["abc", "xyz"]
    assert register_brands(Settings()) == []


def test_the_password_of_the_mail_server_is_not_written_down(tmp_path: object) -> None:
    keep_settings(Settings(data_dir=str(tmp_path), smtp_password="secret-of-mail"))
    kept = kept_settings(str(tmp_path))
    assert kept is not None
    assert kept.smtp_password == ""
