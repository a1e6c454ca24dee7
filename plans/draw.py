#!/usr/bin/env python3
"""Draws the two demo plans beside this file, in pretix's seating-plan format: python3 plans/draw.py

Lengths are in pixels: seats stand 30 apart and rows 36, all on whole pixels. The ids are made from names, so that drawing again
changes nothing that was not moved.
"""

import json
import math
import pathlib
import uuid

SEAT, ROW = 30, 36
NAMESPACE = uuid.UUID("5ea7401d-0000-4000-8000-000000000000")


def ident(*names):
    return str(uuid.uuid5(NAMESPACE, "/".join(map(str, names))))


def at(x, y):
    return {"x": round(x), "y": round(y)}


def row(plan, zone, label, places, category, accessible=()):
    """A row of seats numbered from the left; `places` are (x, y) in the zone, `category` is a name or a function of place."""
    left, top = at(*places[0])["x"], at(*places[0])["y"]
    seats = []
    for number, (x, y) in enumerate(places, 1):
        seat = {
            "uuid": ident(plan, zone, label, number),
            "seat_guid": f"{zone}-{label}-{number}",
            "seat_number": str(number),
            "position": {"x": round(x) - left, "y": round(y) - top},
            "category": category if isinstance(category, str) else category(x, y),
            "radius": 12,
        }
        if number in accessible or number - len(places) - 1 in accessible:
            seat["accessible"] = True
        seats.append(seat)
    return {
        "uuid": ident(plan, zone, label),
        "row_number": label,
        "row_number_position": "both",
        "position": {"x": left, "y": top},
        "seats": seats,
    }


def area(plan, name, x, y, shape, size, color, border, words_at=None, letters=18, ink="#ffffff", rotation=0):
    """A shape with its name on it. `size` is the shape's own part: a rectangle's width and height, a polygon's points…"""
    drawn = {
        "uuid": ident(plan, "area", name),
        "shape": shape,
        "color": color,
        "border_color": border,
        "rotation": rotation,
        "position": at(x, y),
        "text": {"text": name, "color": ink, "size": letters, "position": at(*(words_at or (0, 0)))},
    }
    if shape != "text":
        drawn[shape] = size
    return drawn


def box(plan, name, x, y, width, height, **more):
    """A labelled rectangle around its middle."""
    size = {"width": width, "height": height}
    colors = {"color": "#d8d4cc", "border": "#a8a296", "ink": "#3a372f", "letters": 15} | more
    return area(plan, name, x - width / 2, y - height / 2, "rectangle", size, words_at=(width / 2, height / 2), **colors)


def zone(plan, name, x, y, rows, areas):
    return {
        "uuid": ident(plan, "zone", name),
        "zone_id": name.lower(),
        "name": name,
        "position": at(x, y),
        "rows": rows,
        "areas": areas,
    }


def save(file, name, categories, zones, width, height):
    plan = {
        "name": name,
        "categories": [{"name": name, "color": color} for name, color in categories],
        "zones": zones,
        "size": {"width": width, "height": height},
    }
    path = pathlib.Path(__file__).with_name(file)
    path.write_text(json.dumps(plan, ensure_ascii=False, separators=(",", ":")).replace('{"uuid"', '\n{"uuid"') + "\n")
    seats = [seat for z in zones for r in z["rows"] for seat in r["seats"]]
    print(f"{file}: {len(seats)} seats, {sum('accessible' in seat for seat in seats)} accessible")


def studio():
    """Nine rows on both sides of an aisle, each side turned a little towards the stage."""
    plan, aisle, turn = "studio", 1.2 * SEAT, math.radians(7)
    rows = []
    for index, label in enumerate("ABCDEFGHJ"):
        each = [6, 6, 7, 7, 7, 7, 7, 7, 6][index]
        places = []
        for side in (-1, 1):
            for seat in range(each):
                out = aisle / 2 + (seat + 0.5) * SEAT
                places.append((side * out * math.cos(turn), index * ROW - out * math.sin(turn)))
        places.sort()
        category = "Front" if index < 3 else "Middle" if index < 6 else "Back"
        # Row A is reached without steps: a wheelchair's place at each end and one beside the aisle.
        rows.append(row(plan, "Studio", label, places, category, accessible=(1, 6, -1) if label == "A" else ()))
    stage = [at(-210, -210), at(210, -210), at(170, -84), at(-170, -84)]
    areas = [
        area(plan, "Stage", 0, 0, "polygon", {"points": stage}, "#3b3a42", "#24232a", (0, -147), 26),
        box(plan, "Lights and sound", 0, 9 * ROW + 6, 180, 34),
        box(plan, "Entrance", 200, 9 * ROW + 6, 110, 34),
    ]
    save(
        "studio.json",
        "Studio",
        [("Front", "#b4450f"), ("Middle", "#1d6fb8"), ("Back", "#2e7d4f")],
        [zone(plan, "Studio", 300, 260, rows, areas)],
        600,
        640,
    )


def arc(radius, half_width, widest, aisles):
    """Places of one curved row, left to right, around (0, 0) where the music is.

    The row reaches to `widest` radians on both sides, but no wider than the hall. `aisles` are angles at which everybody can
    walk: each cuts the row.
    """
    end = min(widest, math.asin(min(1, half_width / radius)))
    edges = [-end, *[aisle for aisle in aisles if abs(aisle) < end], end]
    step, half_aisle = SEAT / radius, 0.5 * SEAT / radius
    places = []
    for left, right in zip(edges, edges[1:]):
        left += half_aisle if left > -end else 0
        right -= half_aisle if right < end else 0
        count = math.floor((right - left) / step + 1e-9)
        spare = right - left - count * step
        # The outer blocks stand along their aisle, the inner ones in the middle between theirs.
        start = left + (spare if left == -end else 0 if right == end else spare / 2)
        for seat in range(count):
            angle = start + (seat + 0.5) * step
            places.append((radius * math.sin(angle), radius * math.cos(angle)))
    return places


def concert_hall():
    """Twenty curved rows of stalls with two aisles, and seven of balcony behind them."""
    plan = "concert-hall"
    aisles = (-math.radians(17), math.radians(17))
    first = 360
    stalls = []
    for index, label in enumerate("ABCDEFGHJKLMNPQRSTUV"):
        radius = first + index * ROW
        middle = radius * math.sin(aisles[1])

        def category(x, y, index=index, middle=middle):
            if 3 <= index <= 9 and abs(x) < middle:
                return "Premium"
            return "Stalls front" if index < 11 else "Stalls back"

        places = arc(radius, 640, math.radians(44), aisles)
        # The doors at the back are level with row V: wheelchairs' places at both ends.
        stalls.append(row(plan, "Stalls", label, places, category, (1, 2, 3, 4, -1, -2, -3, -4) if label == "V" else ()))
    balcony = []
    for index in range(7):
        radius = first + (24 + index) * ROW
        label = "ABCDEFG"[index] * 2
        category = "Balcony front" if index < 3 else "Balcony back"
        balcony.append(row(plan, "Balcony", label, arc(radius, 740, math.radians(44), aisles), category))

    # The stage ends in an arc that follows row A.
    edge = [(290 * math.sin(a), 290 * math.cos(a)) for a in (math.radians(d) for d in range(-54, 55, 6))]
    back = [(250, -30), (-250, -30)]
    stage = {"points": [at(x, y) for x, y in edge + back]}
    # The balcony begins at a rail, which has no words on it.
    rail = first + 22 * ROW - 10
    rim = [(rail * math.sin(a), rail * math.cos(a)) for a in (math.radians(d) for d in range(-36, 37, 3))]
    rim += [(x * (rail - 8) / rail, y * (rail - 8) / rail) for x, y in reversed(rim)]
    bottom = first + 32 * ROW
    stalls_areas = [
        area(plan, "Stage", 0, 0, "polygon", stage, "#3b3a42", "#24232a", (0, 130), 44),
        area(plan, "Stalls", 0, 322, "text", None, "#7a7468", "#7a7468", (0, 0), 26, "#7a7468"),
        box(plan, "Entrance left", -650, 440, 130, 44),
        box(plan, "Entrance right", 650, 440, 130, 44),
    ]
    balcony_areas = [
        area(plan, "", 0, 0, "polygon", {"points": [at(x, y) for x, y in rim]}, "#a8a296", "#a8a296"),
        area(plan, "Balcony", 0, rail + 38, "text", None, "#7a7468", "#7a7468", (0, 0), 26, "#7a7468"),
        box(plan, "Bar", 0, bottom, 260, 48),
        box(plan, "Stairs left", -520, bottom, 130, 44),
        box(plan, "Stairs right", 520, bottom, 130, 44),
    ]
    centre, top = 800, 60
    save(
        "concert-hall.json",
        "Concert hall",
        [
            ("Premium", "#b4450f"),
            ("Stalls front", "#1d6fb8"),
            ("Stalls back", "#2e7d4f"),
            ("Balcony front", "#8e44ad"),
            ("Balcony back", "#5f6f7f"),
        ],
        [zone(plan, "Stalls", centre, top, stalls, stalls_areas), zone(plan, "Balcony", centre, top, balcony, balcony_areas)],
        2 * centre,
        top + bottom + 60,
    )


studio()
concert_hall()
