"""Damaged images and requests are refused clearly, or answered; the server lives on."""

import json
import random
import sys

import httpx
from in_process import Endpoints
from paths import ROOT

sys.path.append(str(ROOT / "benchmarks"))
import image_fuzz


def test_damaged_images_and_requests_are_refused_or_answered(seeing: Endpoints) -> None:
    rng, statuses = random.Random(3), set()
    with httpx.Client(base_url=seeing.api_url, timeout=60) as client:
        for _ in range(300):
            path, body = image_fuzz.make_request(rng)
            response = client.post(path, content=json.dumps(body))
            image_fuzz.check(path, body, response)
            statuses.add(response.status_code)
    assert {200, 400} <= statuses
