"""The blocks of GGUF files that store neighbouring weights as one number, a row of a grid: the IQ types.

Eight weights (four in IQ3 types) are the row of a grid, and have a sign each. All weights of a grid are among
few numbers, so they become codes of 4 bits: the lowest 3 are the index of a number's magnitude, the highest
its sign. A row of a grid is looked up as one integer of 8 or 4 such codes. No weight is rounded.

Scales are odd integers of 4 or 5 bits times a float16 of the block and a power of two
(github.com/ggml-org/ggml, src/ggml-quants.c). The grids are those of that project, (c) The ggml authors,
under the MIT licence (src/ggml-common.h): each row as a number with the first weight as its lowest digit, of
which the differences are compressed.
"""

import base64
import zlib

import numpy as np

from .bits import Arrays, bits, fields, halves

_IQ2_XXS = (
    "Rgu9;!$1^8uQG%Xh9Dt?LCR1hNGK9QaZ#iT7b4O{kuIdmeu+yzz;E$e{2tG|jzI}CnfK=2`|f)qUH<tBmYdIooeNuDrTv|1MIuks"
    "sMob+tC{Qb+0SvUmQ$r*jL7=c^|OA*ZO{hPbJi=t`CKm{8#0w9);cpix+^Vp1LDb8jTZQEM5FF3)9K25uh}R5uNhZs0Nd(BRnN`4"
    "?*DaMfOol*#&lC0*n|0q=AlQuBiibak&a3$V{UME?lkq+vj@D5^p`vY?Q{#WBEN*c)!z64<pFMl;q(S_)Q7%Jy~V}CCjY3H`7P2L"
    "q#1PFH)tMoMEgAdk?f!cJhfCh>Wis-8a9GCsl1r<0{"
)
_IQ2_XS = (
    "g_1#Q!!Qhmg$c%(5JCu{j8IA#p^Oqr89j_0dgy74oySf)?YQ5vpS;hq7uu%jFmWYSdQW<mh?zOr72lrN;qzB3?OBCQztvgP>zzp<"
    "PU?S{!tG}<JP55?g~nT1Ty&EuTIeJP!KG+LriHuW-Xw-wUD%V#X%`jPh7Mx9;@nTNf|X;psbY`U$Tsnmcr|_|gB;~yqUj$`HCmRM"
    "6*V0bN0yR%556a!<2|R@J-9X9JrP~-^_qW6_e<@r&z!;GQdObc)BT9rlxpRwb$GD`YZy@+rz2jcncikLs2#V)$fGP}H)`Wlm+-n4"
    "MXjtsY4CFGuv1NpeCuw+j-2Xk<O{SVS%ti6FB^FWdnX5~Lgm~BG$*<RZi}k%)yuJCqq<Z?YB&b&Ubn8K+AD^WPdEayAEzw%e?e|5"
    "FWfcpJ5}L8wV}Tcrt5jzm9j;h9q0o&UD7^Ohi=yLqZo1jwu%#8DQMrr^9u"
)
_IQ2_S = (
    "omER}!$1rbVGu(wW-uj~U`jB>gix|5A&V}1hMu8|-2VWTG-GG}ae}cumZfLuJ!uTEDI99WGtyOMBQc3m!5fTx5Ojdh3bG=revn6e"
    "VBw1?ih7VY!Zymtw<C0!8cS?&C2f!&TYN-Kc#LbUTNt6qR<5f0sA|<UCGTsq@PjUQbk=;$&oNo^VEmNjeWIIABKr)MfgP<Fp@m~n"
    "E1QLu4pf0gb5CNBjV4`Yc6#AO6+5n88F$p+-Wiwzp7)Mvgm0>%AwTYhx0Q<evw+#Ga`RGGX7<LYj{fC7ThkS@0$rBTop`HCd{c~V"
    "MQdJNpW5-lIeD$8IdWJXowE%~2VFDoHQk4$Is+%_oOJi_l`QjQ=qr}5L$qW0nebe&r-2{W!AJULLw)=UpTWHPJBz;)qPO#u`9|ks"
    "y{zS&FsWDbsAZ-s>NS|aNl<#~u?w9Ws-+W)@+POG_8mnNj<tS8+^2nblFSbjIWFp6Xf@LPCb;&GIPXpqode}Iihhjx?s!rTaTM(g"
    "{1J|!49-;TAb%Im;)9<40R"
)
_IQ3_XXS = (
    "O^{trgFp~PFCgF0A{42?*4Emj8WW>F`=-7%{{MgDnJFQL>@GWV=FXj!LcW-FrGPzEu3NudqA7oopQS2g6P<d*s6vSroQYSLI;hhM"
    "!syWBof>^;AZnUDbTeyTPOA&F_K3w^=X|OM6hdlp)zp<}9CTuD(XDhQv-_uHUUS{MW;7{`K3V3si_4n5#*fYR!rG&<=3c;lyPH9G"
    "^Nc-gJi914NAFgXX|%-2Cwm8x;Ao_KOXkE{K`&q{dYri}>DxeEYYTNGYn^*?k*mMccfe@^H9**GnVz(n=FW)z;@HT>D>e{Ylpd-1"
    "LG7qFI$PdeAizljU+5WMv2O5e{q{udjaq%_4*"
)
_IQ3_S = (
    "Ra0wE!!QhV+C17OU01fj#y|oMX@c()|NozHzBtoRmBe=ZIA2^5hp(58r^DG%_7WvP>dm5Zg4W;tJiXN7sU?}Q2gEsA9PfJiXttJV"
    "hBQF;v?SJujF_3HmrPBqk^3SO^upU<z6+$x3>#UYCFX8Eie&$QvvpN_&=}1>5^L>IqY|qn-bd_{@!}21#MM}+_#7iwNZDALS*3Dv"
    "c*wcPmEGz6`Oav8O{0f@D7!l<XB<_1wztw1joZ3wjU%;*xfAhwVy<j@^xLXNbeOS^uqWP~C<R!wM#etSdy+SD>4`hT@@jZGMzq=J"
    "SuZlGV<ttrC5C!a-|$3kg7r4?R5SzUO{Zw(3(w4*iC}`Z!}nqAX1Um#)czAbtrV<w<dj6>R&;?p1iXOqROlD%l`c4+kkJ8IA<|Ds"
    "D<Y4aFlFh)T#B;REB0?xo=4zPCMQ;%<prlhtr=&r$tk!k@`bfS)Gs^P;A}H{0RAm<y~{JuME0#*7NWkvcfsm`WDno7d?V&YG^1tE"
    "N}3_Vv%{OUe@^*4aWXc@UH|H%{J{4ENU!n-"
)
_IQ1_S = (
    "jaO@z;~)sFf+Ul+Gqd0K|NqW4yaY{V_IR2aA1H9SkjJBXgGcL6?7#LP9@)c)_3%-2w)Wn+5`D%-w;%SOJE%WpHR{RWZ%^Gx+>p=v"
    "(zjD~>2tE8>TJ>Rn%alTtUmkMSHJo{xxR%@6v@aZuXn{;EzVwJYwZ0AI`UHKbgMh4rKOG8gKudvYq0Do{iUnH?{7_3k=nwV%<OEZ"
    "bH}%Pqy=B0+S+U`w=8-l@_ECyMQ>RBc95(udu+w(6B%paj%8X|(n$90@c+;c({50?pppw)QqZ-tZ_u@^7xxq-933e(3mwZt>v11s"
    "Ns#XG(bsPMf1A8x7{k8)NSH7LL{wbOihnmgmy#{bpQL!3qZn`JcGY-KUX>9!5g2vk@iDL{YY+GTXmV21U8GoUipAq5j*bumhDlJZ"
    "ZG^%JO;I}U8XC9TSbn*t(!N<!VUmH0fv`GRyz03bLxSmNh@?Y(j~y4SzfnIKdY_h9$dXJNsckbxae6mA4%8Rr=oz!kV+3wag%Fd*"
    "&SsgRm$1SX@<EIp>jB@VBpoosYvhK(ofcc>nQxDK+5O3Oj68&a0i(X88G;heXMV}Hsu#2IrsGUn{DFRd%S(C3hsR%GJQSB9euD*J"
    "C3&_?R-?39{61T@+_LPfTe)a;(H@o=SY+0TeP`L=Qm)S&>@voHQD`GAMJ6f^>*Q1E$2q)=C%VMM>UGdI)(|t)#^^yuT-0#H)s`&v"
    "3d~CheS(m8$WVedu_);sijPTlwoLre>ZvfxiM8L#d0(E<>%@L_$+Ekyo8uHy-E>w{GY8e6=ceNjP8R<)W$>JJB7#sQ<@^r(`%<rs"
    "tRPut*DRRxBe*AGyn^4uDy!2A?}<?g`*#Z#&Y7l#s^P9atf9J$S~i^l@2wJ^YV&pGtySjcnHaUUrNBnf-y;WH)nup7KT{<vR<n2k"
    ")@BPV7i&oH`efAb(GI5VKGm&OLma<Y@O_iXB?>8I=v}`@=6tkb9=*mbUT=&%ll?{-uftYV$DRqLJ4afM8+q;;v1Q5>B}EQ+E%kqV"
    "R71VL*4m`3*#a{eCzJXGJwl9;4zE-(uyNt41zqozJ7x>V>H|^^mpbsHw>^Emyqt;OKg8127uv|4h1nryQ>iOKV@AGA@z+Z6kNTcM"
    "bqmh>e<v*Dih!2ff7UVP4d5LklYsIzI>Xh4X`VmmzH60E+(X~d+=^MsYTJJ"
)


def _read_grid(text: str, rows: int, numbers: int, weights: int) -> np.ndarray:
    """A grid [rows] of integers, each of `weights` bytes, which are indices of so many numbers."""
    differences = np.frombuffer(zlib.decompress(base64.b85decode(text), -15), "<u2")
    assert len(differences) == rows
    digits = np.cumsum(differences, dtype=np.int64)[:, None] // numbers ** np.arange(weights) % numbers
    return digits.astype(np.uint8).view(f"u{weights}")[:, 0]


_GRID2_XXS, _GRID2_XS = _read_grid(_IQ2_XXS, 256, 3, 8), _read_grid(_IQ2_XS, 512, 3, 8)
_GRID2_S, _GRID1 = _read_grid(_IQ2_S, 1024, 3, 8), _read_grid(_IQ1_S, 2048, 3, 8)
_GRID3_XXS, _GRID3_S = _read_grid(_IQ3_XXS, 256, 8, 4), _read_grid(_IQ3_S, 512, 8, 4)


def _read_signs() -> tuple[np.ndarray, np.ndarray]:
    """The highest bits of 8 codes by a byte of signs, and by 7 bits, where the 8th makes their sum even."""
    negative = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    all_signs = (negative << np.uint8(3)).view(np.uint64)[:, 0]
    parity = negative[:128].sum(axis=1, dtype=np.intp) % 2
    return all_signs, all_signs[np.arange(128) + 128 * parity]


_SIGNS, _EVEN_SIGNS = _read_signs()


def _signed(*magnitudes: int) -> np.ndarray:
    """The numbers of codes with these magnitudes."""
    half = np.array([*magnitudes, *[0] * (8 - len(magnitudes))], np.int8)
    return np.concatenate([half, -half])


NUMBERS2 = _signed(8, 25, 43)
NUMBERS3_XXS = _signed(2, 6, 10, 14, 18, 22, 26, 31)
NUMBERS3_S = _signed(*range(1, 16, 2))
# 8 (number + 1/8) for -1, 0 and 1; then 8 (number - 1/8)
NUMBERS1 = np.array([-7, 1, 9, 0, -9, -1, 7, 0, *[0] * 8], np.int8)
_MINUS = np.uint64(0x0404040404040404)  # of 8 codes of NUMBERS1


def _codes(rows: np.ndarray, signs: np.ndarray, scales: np.ndarray, supers: np.ndarray) -> Arrays:
    """Codes of rows of a grid and their signs, with scales 2 s + 1."""
    count = len(rows)
    wide = rows.view(np.uint64).reshape(count, -1) | signs.reshape(count, -1)
    odd = (2 * scales + 1).astype(np.int8).reshape(count, -1)
    return {"codes": wide.view(np.uint8), "scales": odd, "super_scales": supers}


def _words(blocks: np.ndarray, start: int, end: int, dtype: str) -> np.ndarray:
    return np.ascontiguousarray(blocks[:, start:end]).view(dtype)


def _scale(blocks: np.ndarray, factor: float) -> np.ndarray:
    """The float16 that a block begins with, times a power of two."""
    return halves(blocks, 0).astype(np.float32) * np.float32(factor)


def iq2_xxs(blocks: np.ndarray) -> Arrays:
    """In a word: four rows; then four times 7 signs and a scale."""
    words = _words(blocks, 2, 66, "<u4")
    rows, signs = np.ascontiguousarray(words[:, ::2]).view(np.uint8), words[:, 1::2]
    return _codes(
        _GRID2_XXS[rows], _EVEN_SIGNS[fields(signs, 7, 4)], signs >> np.uint32(28), _scale(blocks, 1 / 8)
    )


def iq2_xs(blocks: np.ndarray) -> Arrays:
    """In a word of 16 bits: a row in 9 bits, and 7 signs."""
    words = _words(blocks, 2, 66, "<u2")
    rows, signs = _GRID2_XS[words & np.uint16(511)], _EVEN_SIGNS[words >> np.uint16(9)]
    return _codes(rows, signs, fields(blocks[:, 66:], 4, 2), _scale(blocks, 1 / 8))


def iq2_s(blocks: np.ndarray) -> Arrays:
    rows = _rows(blocks[:, 2:34], fields(blocks[:, 66:74], 2, 4))
    return _codes(
        _GRID2_S[rows], _SIGNS[blocks[:, 34:66]], fields(blocks[:, 74:], 4, 2), _scale(blocks, 1 / 8)
    )


def iq3_xxs(blocks: np.ndarray) -> Arrays:
    """The rows of a block; then words of four times 7 signs and a scale."""
    signs = _words(blocks, 66, 98, "<u4")
    return _codes(
        _GRID3_XXS[blocks[:, 2:66]],
        _EVEN_SIGNS[fields(signs, 7, 4)],
        signs >> np.uint32(28),
        _scale(blocks, 1 / 2),
    )


def iq3_s(blocks: np.ndarray) -> Arrays:
    rows = _rows(blocks[:, 2:66], bits(blocks[:, 66:74]))
    return _codes(_GRID3_S[rows], _SIGNS[blocks[:, 74:106]], fields(blocks[:, 106:], 4, 2), _scale(blocks, 1))


def iq1_s(blocks: np.ndarray) -> Arrays:
    """In a word of 16 bits: high bits of four rows, a scale, and the sign of what is added to 32 weights."""
    words = _words(blocks, 34, 50, "<u2")
    rows = _rows(blocks[:, 2:34], fields(words, 3, 4))
    minus = np.repeat(words >> np.uint16(15), 4, axis=1).astype(np.uint64) * _MINUS
    return _codes(_GRID1[rows], minus, words >> np.uint16(12) & np.uint16(7), _scale(blocks, 1 / 8))


def iq1_m(blocks: np.ndarray) -> Arrays:
    """In a word of 16 bits: four scales, and above them a quarter of the float16."""
    words, high = _words(blocks, 48, 56, "<u2"), fields(blocks[:, 32:48], 4, 2)
    rows = _rows(blocks[:, :32], high & np.uint8(7))
    tops = words >> np.uint16(12) << np.array([0, 4, 8, 12], np.uint16)
    supers = np.bitwise_or.reduce(tops, axis=1, keepdims=True).astype("<u2").view("<f2")
    minus = (high >> np.uint8(3)).astype(np.uint64) * _MINUS
    return _codes(_GRID1[rows], minus, fields(words, 3, 4), supers.astype(np.float32) / 8)


def _rows(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Numbers of rows from their lowest 8 bits and those above them."""
    return low | high.astype(np.uint16) << np.uint16(8)
