-- A database as tritonchat made it before it used Alembic, in version 1 of its tables.
CREATE TABLE sessions (
    "key" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    owner VARCHAR(64) NOT NULL,
    id VARCHAR(64) NOT NULL,
    system JSON,
    parameters JSON NOT NULL,
    created DOUBLE NOT NULL,
    updated DOUBLE NOT NULL,
    version INTEGER NOT NULL,
    UNIQUE (owner, id)
);
CREATE INDEX sessions_newest ON sessions (owner, "key");
CREATE TABLE tritonchat_schema (
    version INTEGER NOT NULL,
    PRIMARY KEY (version)
);
CREATE TABLE turns (
    session_key INTEGER NOT NULL,
    number INTEGER NOT NULL,
    question JSON NOT NULL,
    answer JSON NOT NULL,
    finish_reason VARCHAR(16) NOT NULL,
    usage JSON,
    parameters JSON NOT NULL,
    created DOUBLE NOT NULL,
    PRIMARY KEY (session_key, number),
    FOREIGN KEY(session_key) REFERENCES sessions ("key") ON DELETE CASCADE
);
INSERT INTO sessions (key, owner, id, system, parameters, created, updated, version) VALUES
    (1, 'ada', 'walk', '"Be brief. 你好"', '{"temperature": 0.5, "stop": ["\n"]}', 1790000001.5, 1790000003.25, 3),
    (2, 'bo', 'walk', NULL, '{}', 1790000002.5, 1790000002.75, 2);
INSERT INTO turns (session_key, number, question, answer, finish_reason, usage, parameters, created) VALUES
    (1, 1, '"one"', '"ONE"', 'stop', '{"prompt_tokens": 3}', '{"seed": 1}', 1790000002.0),
    (1, 2, '"two ü"', '"TWO Ü"', 'stop', '{"prompt_tokens": 3}', '{"seed": 1}', 1790000003.0),
    (2, 1, '"x"', '"NUL \u0000"', 'cancelled', NULL, '{}', 1790000002.75);
INSERT INTO tritonchat_schema VALUES (1);
UPDATE sqlite_sequence SET seq = 3 WHERE name = 'sessions';
