"""python3 verify.py BASE_URL DRAW_NUMBER: check that a draw was dealt as promised and that the right ticket wins.

The script reads two public calls and uses Python's standard library only. It shares no code with the server.
It prints one line for each check and exits with 0 when every check holds, otherwise with 1.

    python3 loadtest/verify.py http://localhost:8080 1042

The exact rules are in actors/domain/README.md, section "The deal".
"""

import hashlib
import itertools
import json
import struct
import sys
import urllib.request

TICKETS = 169
PLAYERS = 13


def chacha20_block(key, counter):
    """Return 16 words of the ChaCha20 key stream (RFC 8439) for a 32-byte key and a nonce of zeros."""
    constants = struct.unpack("<4I", b"expand 32-byte k")
    start = [*constants, *struct.unpack("<8I", key), counter, 0, 0, 0]
    state = start[:]

    def quarter_round(a, b, c, d):
        for target, addend, rotated, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            state[target] = (state[target] + state[addend]) % 2**32
            word = state[rotated] ^ state[target]
            state[rotated] = (word << bits | word >> 32 - bits) % 2**32

    for _ in range(10):
        for column in range(4):
            quarter_round(column, column + 4, column + 8, column + 12)
        for column in range(4):
            quarter_round(column, (column + 1) % 4 + 4, (column + 2) % 4 + 8, (column + 3) % 4 + 12)
    return [(word + initial) % 2**32 for word, initial in zip(state, start)]


def deal(seed):
    """Return the number pairs of tickets 1 to 169: ticket k carries deal(seed)[k - 1]."""
    cells = list(range(TICKETS))
    words = itertools.chain.from_iterable(chacha20_block(seed, counter) for counter in itertools.count())
    # Fisher-Yates. A word beyond the last whole multiple of the bound is rejected, so that no cell is favoured.
    for last in range(TICKETS - 1, 0, -1):
        bound = last + 1
        word = next(word for word in words if word < 2**32 // bound * bound)
        other = word % bound
        cells[last], cells[other] = cells[other], cells[last]
    return [(cell // PLAYERS + 1, cell % PLAYERS + 1) for cell in cells]


def left_in_order(moves, sold):
    """Return whether tickets left in the promised order and the sold tickets are those that left and stayed away.

    Never-sold tickets leave first, returned tickets after them, each group in ascending number (decision M-3).
    """
    unsold, returned, out = list(range(1, TICKETS + 1)), [], []
    for move in moves:
        ticket = move["ticket"]
        if move["returned"]:
            source, target = out, returned
        else:
            source, target = unsold or returned, out
        if ticket not in source:
            return False
        if source is not out and ticket != min(source):
            return False
        source.remove(ticket)
        target.append(ticket)
    return sorted(out) == sold


def read(base_url, path):
    """Return the JSON answer of one public call."""
    with urllib.request.urlopen(base_url.rstrip("/") + path) as response:
        return json.load(response)


def main(base_url, number):
    proof = read(base_url, f"/api/public/draws/{number}/proof")
    tickets = read(base_url, f"/api/draws/{number}/tickets")
    if not proof["revealed"]:
        sys.exit(f"Draw {number} is not revealed yet. Its promise: {proof['commitment']}")
    seed = bytes.fromhex(proof["seed"])
    commitment = hashlib.sha256(b"football-doubles-v1" + str(number).encode() + seed).hexdigest()
    pairs = deal(seed)
    # There is no result when the operator has undone the result of a revealed draw (decision M-4).
    result = proof["result"]
    winner = pairs.index((result["home"], result["away"])) + 1 if result else None
    shown = {ticket["ticketNumber"]: (ticket["homeNumber"], ticket["awayNumber"]) for ticket in tickets}
    checks = {
        "the seed is the promised one": commitment == proof["commitment"],
        "every ticket carries its pair": shown == dict(enumerate(pairs, 1)),
        "tickets left in the promised order": left_in_order(proof["ticketMoves"] or [], proof["soldTickets"]),
        f"ticket {winner} wins" if result else "no result stands": winner == proof["winningTicket"],
    }
    for check, holds in checks.items():
        print("yes" if holds else "NO ", check)
    sys.exit(not all(checks.values()))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python3 verify.py BASE_URL DRAW_NUMBER")
    main(sys.argv[1], int(sys.argv[2]))
