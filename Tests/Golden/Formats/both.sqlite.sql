BEGIN TRANSACTION;
CREATE TABLE classes (class_index INTEGER PRIMARY KEY NOT NULL, label TEXT NOT NULL);
INSERT INTO "classes" VALUES(0,'Dog');
INSERT INTO "classes" VALUES(1,'Rock ''n'' roll');
INSERT INTO "classes" VALUES(2,'nul�l');
CREATE TABLE events (id INTEGER PRIMARY KEY NOT NULL, file_id INTEGER NOT NULL REFERENCES files (id),
    onset_s REAL NOT NULL, offset_s REAL NOT NULL, label TEXT NOT NULL, class_index INTEGER NOT NULL,
    peak REAL NOT NULL, mean REAL NOT NULL, confidence REAL, channel INTEGER, onset_time TEXT);
INSERT INTO "events" VALUES(1,1,-0.5,0.16,'Rock & <b>roll</b> --> end',5,0.75,0.5,NULL,NULL,'2026-10-25T01:59:58.500-05:00');
INSERT INTO "events" VALUES(2,1,0.32,1.28,'Dog',3,0.5,0.25,NULL,NULL,'2026-10-25T01:59:59.320-05:00');
INSERT INTO "events" VALUES(3,1,61.44,62.4,'tab	here
and "there"',526,0.999774,0.994558,NULL,NULL,'2026-10-25T02:01:00.440-05:00');
INSERT INTO "events" VALUES(4,1,3723.52,3724.16,'=SUM(1,2)',0,1.0,0.9,NULL,NULL,'2026-10-25T03:02:02.520-05:00');
INSERT INTO "events" VALUES(5,2,0.0,0.0,'Möwe caf�',7,0.3,0.2,NULL,NULL,NULL);
INSERT INTO "events" VALUES(6,2,1.0,2.0,'Gunshot, gunfire',8,0.25,0.125,NULL,NULL,NULL);
CREATE TABLE files (id INTEGER PRIMARY KEY NOT NULL, path TEXT NOT NULL, seconds REAL NOT NULL,
    sample_rate INTEGER NOT NULL, channels INTEGER NOT NULL,
    complete INTEGER NOT NULL CHECK (complete IN (0, 1)), error TEXT, start_time TEXT);
INSERT INTO "files" VALUES(1,'archive/day 1/café, "loud".wav',3725.5,44100,2,1,NULL,'2026-10-25T01:59:59.000-05:00');
INSERT INTO "files" VALUES(2,'#2�.flac',2.0,8000,1,0,'the file ends early; copy it again',NULL);
CREATE TABLE model (file TEXT NOT NULL, sha256 TEXT NOT NULL, licence TEXT NOT NULL, classes INTEGER NOT NULL);
INSERT INTO "model" VALUES('Models/café.safetensors','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','CC BY 4.0',3);
CREATE TABLE settings (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL);
INSERT INTO "settings" VALUES('only','Dog;
Cat');
INSERT INTO "settings" VALUES('threshold','0.5');
CREATE TABLE top (file_id INTEGER NOT NULL REFERENCES files (id), rank INTEGER NOT NULL, label TEXT NOT NULL,
    class_index INTEGER NOT NULL, score REAL NOT NULL, PRIMARY KEY (file_id, rank)) WITHOUT ROWID;
CREATE VIEW results AS
    SELECT files.path AS file, onset_s, offset_s, label, class_index, peak, mean, confidence, channel, onset_time
    FROM events JOIN files ON files.id = events.file_id ORDER BY events.id;
CREATE INDEX files_by_path ON files (path);
CREATE INDEX events_by_file ON events (file_id, onset_s);
CREATE INDEX events_by_label ON events (label, file_id);
COMMIT;
