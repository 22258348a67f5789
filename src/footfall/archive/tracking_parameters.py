"""Parameters of addresses that follow a reader and change nothing on the page: data, to be added to."""

_BEGINNINGS = ("utm_", "mtm_", "pk_", "piwik_", "matomo_", "hsa_", "stm_", "at_custom", "trk_", "oly_", "vero_")
_NAMES = frozenset(
    {
        "__hsfp", "__hssc", "__hstc", "__s", "_branch_match_id", "_branch_referrer", "_ga", "_gl", "_hsenc", "_hsmi",
        "_kx", "_openstat", "at_campaign", "at_medium", "cmpid", "cvid", "dclid", "dm_i", "ef_id", "epik",
        "fb_action_ids", "fb_action_types", "fb_ref", "fb_source", "fbclid", "gad_campaignid", "gad_source", "gbraid",
        "gclid", "gclsrc", "guce_referrer", "guce_referrer_sig", "hsctatracking", "icid", "igsh", "igshid",
        "irclickid", "li_fat_id", "mc_cid", "mc_eid", "mkt_tok", "ml_subscriber", "ml_subscriber_hash", "msclkid",
        "ncid", "ns_campaign", "ns_linkname", "ns_mchannel", "ns_source", "obclid", "rb_clickid", "rdt_cid", "s_cid",
        "s_kwcid", "sc_cid", "sccid", "srsltid", "tblci", "ttclid", "twclid", "vgo_ee", "wbraid", "wickedid", "xtor",
        "yclid", "ymclid", "zanpid",
    }
)  # fmt: skip


def is_tracking(piece: str) -> bool:
    """Tell whether a piece of a query, as `name=value`, follows a reader."""
    name = piece.partition("=")[0].lower()
    return name in _NAMES or name.startswith(_BEGINNINGS)
