"""Month names to numbers, for dates written in words."""

from __future__ import annotations

# CLDR month names, wide and abbreviated, nominative and the case used in dates; lower case, no final dot.
_NAMES = (
    "january jan janvier janv januar jänner enero ene janeiro gennaio gen januari января янв มกราคม ม.ค "
    "stycznia sty ocak januarie ianuarie leden ledna",
    "february feb février févr februar febrero fevereiro fev febbraio februari февраля фев февр กุมภาพันธ์ ก.พ "
    "lutego lut şubat februarie unora února",
    "march mar mars märz mär marzo março maart mrt марта мар มีนาคม มี.ค marca mart martie března",
    "april apr avril avr abril abr aprile апреля апр เมษายน เม.ย kwietnia kwi nisan aprilie dubna",
    "may mai mayo maio maggio mag mei мая พฤษภาคม พ.ค maja mayıs května",
    "june jun juin juni junio junho giugno giu июня июн มิถุนายน มิ.ย czerwca cze haziran iunie června",
    "july jul juillet juil juli julio julho luglio lug июля июл กรกฎาคม ก.ค lipca lip temmuz iulie července",
    "august aug août agosto ago augustus августа авг สิงหาคม ส.ค sierpnia sie ağustos srpna",
    "september sep sept septembre septiembre setembro settembre set сентября сен сент กันยายน ก.ย "
    "września wrz eylül septembrie září",
    "october oct octobre oktober okt octubre outubro out ottobre ott октября окт ตุลาคม ต.ค "
    "października paź ekim octombrie října",
    "november nov novembre noviembre novembro ноября ноя нояб พฤศจิกายน พ.ย listopada lis kasım noiembrie",
    "december dec décembre déc dezember dez diciembre dic dezembro dicembre декабря дек ธันวาคม ธ.ค "
    "grudnia gru aralık decembrie prosince",
)

MONTHS: dict[str, int] = {name: number for number, row in enumerate(_NAMES, 1) for name in row.split()}


def month_number(name: str) -> int:
    """1..12 for a month's name in any case, with or without a final dot; 0 for any other word."""
    return MONTHS.get(name.rstrip(".").lower(), 0)
