"""The tables of what can be asked for, each topic with a name: TOPICS is the help desk."""

from training.skills.topics.engine import ENGINE
from training.skills.topics.project import PROJECT
from training.skills.topics.requests import REQUESTS
from training.skills.topics.serving import SERVING
from training.skills.topics.speed import SPEED
from training.skills.topics.use import USE

TOPICS = {**USE, **SERVING, **SPEED, **ENGINE, **REQUESTS, **PROJECT}
