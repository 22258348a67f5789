"""What a request has to prove beside its key: a server that it signed what it sends, a page that its token is fresh."""

from collections import OrderedDict

from msgspec import Struct

from footfall.accounts.brands import Brand
from footfall.accounts.keyring import Caller, Keyring
from footfall.accounts.nonces import Nonces
from footfall.accounts.origins import is_allowed_origin
from footfall.accounts.proof_counts import ProofCounts
from footfall.accounts.signatures import SKEW_MS, require_timely, signature_from_header, signer_of
from footfall.accounts.tokens import LIFE_S_MAX, Claims, claims_from_token, is_token_of, new_token
from footfall.accounts.unproven import Unproven, Why
from footfall.values.clock import Clock
from footfall.values.errors import Refused

TOKENS_KEPT_MAX = 4_000  # Those that were found good; pages of one brand share a few.


class Shown(Struct, frozen=True):
    """What a request brings as proof."""

    body: bytes  # as it travelled
    signature: str = ""
    token: str = ""
    origin: str = ""  # of the page that sends, as the browser tells it
    retry_key: str = ""  # its Idempotency-Key


class Proofs:
    """The judge of signatures and tokens."""

    def __init__(self, keyring: Keyring, nonces: Nonces, *, clock: Clock) -> None:
        self.counts = ProofCounts()
        self._keyring = keyring
        self._nonces = nonces
        self._clock = clock
        self._good: OrderedDict[str, tuple[Claims, str]] = OrderedDict()  # by token: what it says, and who signed it

    def require(self, caller: Caller | None, brand: Brand | None, shown: Shown) -> None:
        """Raise Unproven, and count it, unless the request proves what it says it proves and what its brand asks for.

        A signature that is sent has to be right. A token that is wrong is only counted where the brand needs none.
        """
        if caller is None or brand is None:
            if shown.signature:
                raise Unproven(
                    Why.SIGNATURE_FORGED, "is nobody's: only a brand that has keys has signing keys; send its key, too"
                )
            return
        try:
            self._look(caller, brand, shown)
        except Unproven as error:
            is_asked_for = error.why.startswith("signature") or brand.requires_token
            self.counts.note(brand.name, error.why, was_refused=is_asked_for)
            if is_asked_for:
                raise

    def token(self, claims: Claims) -> str:
        """Return a token for the brand's pages, signed with its newest signing key."""
        signers = self._keyring.signers(claims.brand, now_ms=self._clock.now_ms())
        if not signers:
            raise Refused(
                "brand", f"{claims.brand!r} has no signing key that works; footfall keys add --signing makes one"
            )
        return new_token(max(signers, key=lambda one: (one.created_at_ms, one.id)).signing_text, claims)

    def _look(self, caller: Caller, brand: Brand, shown: Shown) -> None:
        if shown.signature:
            self._require_signed(brand, shown)
        elif not caller.is_public:
            if brand.requires_signature:
                raise Unproven(
                    Why.SIGNATURE_MISSING,
                    "is missing, and this brand asks servers to sign; sign with a signing key of the brand",
                )
        elif shown.token:
            self._require_token(brand, shown)
        elif brand.requires_token:
            raise Unproven(Why.TOKEN_MISSING, "is missing, and this brand asks its pages for one; set data-token")

    def _require_signed(self, brand: Brand, shown: Shown) -> None:
        now_ms = self._clock.now_ms()
        signature = signature_from_header(shown.signature)
        require_timely(signature, now_ms=now_ms)  # Before the body is hashed: it costs nothing.
        signers = self._keyring.signers(brand.name, now_ms=now_ms)
        place = signer_of(signature, [one.signing_text for one in signers], shown.body)
        if place is None:
            raise Unproven(
                Why.SIGNATURE_FORGED,
                "was not made by a signing key of the brand over t, n and the body as it was sent; "
                "sign the bytes that travel, compressed if they are",
            )
        self._keyring.note_use(signers[place].id)
        expires_at_ms = signature.at_s * 1_000 + SKEW_MS + 1
        if not self._nonces.take(
            brand.name, signature.nonce, retry_key=shown.retry_key, now_ms=now_ms, expires_at_ms=expires_at_ms
        ):
            raise Unproven(
                Why.SIGNATURE_REPLAYED,
                "was used before; sign each request with a nonce of its own, or send the first one's Idempotency-Key",
            )

    def _require_token(self, brand: Brand, shown: Shown) -> None:
        now_s = self._clock.now_ms() // 1_000
        claims = self._claims(brand, shown.token)
        if claims.brand != brand.name:
            raise Unproven(Why.TOKEN_ELSEWHERE, "is another brand's")
        if now_s > claims.exp + SKEW_MS // 1_000:
            raise Unproven(Why.TOKEN_STALE, f"is over for {now_s - claims.exp:,} s; make the page or its token anew")
        if claims.exp > now_s + LIFE_S_MAX + SKEW_MS // 1_000:
            raise Unproven(
                Why.TOKEN_STALE, f"works for longer than {LIFE_S_MAX:,} s, which no token may; let it expire sooner"
            )
        if claims.origin and not is_allowed_origin(shown.origin, (claims.origin,)):
            raise Unproven(Why.TOKEN_ELSEWHERE, f"is for pages of {claims.origin[:80]!r}, not of {shown.origin[:80]!r}")

    def _claims(self, brand: Brand, token: str) -> Claims:
        """Return what a token says that a working key has signed; one that was found good is not checked again."""
        signers = {one.id: one for one in self._keyring.signers(brand.name, now_ms=self._clock.now_ms())}
        known = self._good.get(token)
        if known is not None and known[1] in signers:
            return known[0]
        claims = claims_from_token(token)
        made_by = [key_id for key_id, one in signers.items() if is_token_of(token, one.signing_text)]
        if not made_by:
            raise Unproven(Why.TOKEN_FORGED, "was not signed with a signing key of the brand that works")
        self._keyring.note_use(made_by[0])
        self._good[token] = (claims, made_by[0])
        if len(self._good) > TOKENS_KEPT_MAX:
            self._good.popitem(last=False)
        return claims
