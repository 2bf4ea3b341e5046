"""HTML as tests look at it: what it links, loads and runs, and whether it can be read aloud."""

from html.parser import HTMLParser

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; "
    "form-action 'self'"
)
"""What every page of the site tells browsers that it may do."""

FIELDS = {"input", "select", "textarea"}
VOID = {"meta", "link", "input", "img", "br", "hr", "rect", "line"}


class Html(HTMLParser):
    """A page: its ids, links, headings, and what is inline or loaded."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loaded, self.inline, self.ids = [], [], [], []
        self.headings, self.landmarks, self.named, self.fields = [], [], set(), []
        self.missing, self.wanted, self.policy, self.language, self.title = [], [], None, None, ""
        self._open = []
        self.feed(text)
        assert self._open == [], f"not closed: {self._open}"

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        assert len(given) == len(attrs), f"{tag} has an attribute twice"
        if tag not in VOID:
            self._open.append((tag, given))
        if "id" in given:
            self.ids.append(given["id"])
        self.inline += [(tag, name) for name in given if name.startswith("on") or name == "style"]
        if tag in {"script", "style"} and "src" not in given:
            self.inline.append((tag, ""))
        self.links += [given[name] for name in ("href", "action") if name in given]
        loading = tag in {"script", "img", "iframe", "object", "embed", "source"}
        self.loaded += [given["src"]] if loading and "src" in given else []
        self.loaded += [given["href"]] if tag == "link" else []
        self._read_aloud(tag, given)

    def handle_endtag(self, tag):
        if tag not in VOID:
            opened, _ = self._open.pop()
            assert opened == tag, f"{opened} is closed by {tag}"

    def handle_data(self, data):
        if self._open and self._open[-1][0] == "title" and len(self._open) == 3:
            self.title += data

    def _read_aloud(self, tag, given):
        """Note what readers who do not see the page go by."""
        if tag == "html":
            self.language = given.get("lang")
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"]
        if tag in {"h1", "h2", "h3", "h4"}:
            self.headings.append(int(tag[1]))
        if tag in {"main", "header", "footer", "nav"}:
            self.landmarks.append(tag)
        if tag == "label":
            self.named.add(given.get("for"))
        if tag in FIELDS:
            within = any(name == "label" for name, _ in self._open)
            self.fields.append((given.get("id"), within or "aria-label" in given))
        self.missing += [f"{tag} {told}" for told, is_so in self._mute(tag, given).items() if is_so]
        if "aria-labelledby" in given:
            self.wanted.append(given["aria-labelledby"])

    @staticmethod
    def _mute(tag, given):
        named = bool({"aria-label", "aria-labelledby"} & given.keys())
        return {
            "is an image without words": tag == "img" and "alt" not in given,
            "is a drawing without words": tag == "svg" and not (named or "aria-hidden" in given),
            "does not say what it is the head of": tag == "th" and "scope" not in given,
            "takes the focus and has no name": given.get("tabindex") == "0" and not named,
        }

    def faults(self):
        """Say what a reader who does not see the page would miss."""
        found = list(self.missing)
        found += [f"two elements are called {i}" for i in {*self.ids} if self.ids.count(i) > 1]
        found += ["the language is not told"] if self.language != "en" else []
        found += ["there is no title"] if not self.title.strip() else []
        found += [
            f"no {mark}" for mark in ("main", "header", "footer") if mark not in self.landmarks
        ]
        if self.headings.count(1) != 1 or self.headings[0] != 1:
            found.append("there is not one first heading")
        pairs = zip(self.headings, self.headings[1:], strict=False)
        found += [f"from heading {a} to {b}" for a, b in pairs if b > a + 1]
        found += [
            f"field {i} has no label" for i, own in self.fields if not own and i not in self.named
        ]
        found += [f"nothing is called {i}" for i in self.wanted if i not in self.ids]
        return found
