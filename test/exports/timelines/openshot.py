"""Runs OpenShot's own importers of EDL and Final Cut 7 XML without its user interface.

Argument: the folder of OpenShot's package. Input: a JSON list of {"path", "num", "den"}: a timeline's file, and the
frame rate of its project. Output: what the importer puts on the timeline. That is a JSON list per file of {"title",
"layer", "position", "start", "end"}, with times in seconds.
"""
import importlib.util
import json
import logging
import sys
import types

package = sys.argv[1]


def module(name, **content):
    made = types.ModuleType(name)
    vars(made).update(content)
    sys.modules[name] = made
    return made


class Window:
    """Accepts every call and does nothing."""

    def __getattr__(self, name):
        return Window()

    def __call__(self, *args):
        return Window()


class Media:
    """A stub of an audio file as opened by OpenShot's library."""

    def __init__(self, path):
        pass

    def Json(self):
        return "{}"

    def Reader(self):
        return types.SimpleNamespace(Json=lambda: json.dumps({"id": "file", "has_audio": True, "has_video": False}))


class Project:
    current_filepath = None

    def __init__(self, num, den):
        self.content = {"fps": {"num": num, "den": den}, "layers": [{"number": 1000000}]}

    def get(self, name):
        return self.content[name]


class File:
    id = "file"
    data = {}

    def save(self):
        pass

    @staticmethod
    def get(path):
        return None


class Track:
    def save(self):
        app.project.get("layers").append(self.data)


class Clip:
    def save(self):
        clips.append({name: self.data[name] for name in ("title", "layer", "position", "start", "end")})


app = types.SimpleNamespace(_tr=lambda words: words, window=Window())
clips = []
path = ""

module("openshot", Clip=Media)
module("PyQt5")
module("PyQt5.QtWidgets", QFileDialog=types.SimpleNamespace(getOpenFileName=lambda *args: (path, "")))
classes = module("classes")
classes.__path__ = [package + "/classes"]
classes.info = module("classes.info", HOME_PATH="", THUMBNAIL_PATH="", PATH="")
module("classes.app", get_app=lambda: app)
module("classes.logger", log=logging.getLogger())
module("classes.image_types", is_image=lambda data: False)
module("classes.query", Clip=Clip, Track=Track, File=File)
module("windows")
module("windows.views")
module("windows.views.find_file", find_missing_file=lambda file: (file, False, False))


def importer(name):
    spec = importlib.util.spec_from_file_location(name, package + "/classes/importers/" + name + ".py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


edl = importer("edl").import_edl
xml = importer("final_cut_pro").import_xml

found = []
for timeline in json.load(sys.stdin):
    app.project = Project(timeline["num"], timeline["den"])
    path = timeline["path"]
    clips = []
    (edl if path.endswith(".edl") else xml)()
    found.append(clips)
json.dump(found, sys.stdout)
