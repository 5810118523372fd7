package read

// readAliases finds calls that wait which the file imports under another name: from a import WebDriverWait as Wait.
func (f *File) readAliases(tokens []token) {
	if f.Language != Python && f.Language != Kotlin {
		return
	}
	importing := false
	for i, t := range tokens {
		switch {
		case t.kind == name && (t.text == "import" || t.text == "from"):
			importing = true
		case t.kind == mark && t.text != "." && t.text != "," && t.text != "(" && t.text != "*",
			i > 1 && t.kind == name && t.line > tokens[i-1].line && tokens[i-1].kind == name && t.text != "as":
			importing = false
		}
		if !importing || t.kind != name || t.text != "as" || i == 0 || i+1 == len(tokens) || tokens[i+1].kind != name ||
			formsOf[f.Language][tokens[i-1].text] == nil || len(f.aliases) >= maxConstants {
			continue
		}
		if f.aliases == nil {
			f.aliases = map[string]string{}
		}
		f.aliases[tokens[i+1].text] = tokens[i-1].text
	}
}

// infix are the functions of awaitility-kotlin that may be called without brackets: await atMost 5.seconds until { … }.
var infix = wordSet("atMost during timeout withPollDelay withPollInterval")

// infixed takes down what such a call waits for.
func (w *walker) infixed(i int) {
	t := w.tokens[i]
	if w.file.Language != Kotlin || !infix[t.text] || i == 0 || i+1 >= len(w.tokens) || w.tokens[i+1].kind == mark {
		return
	}
	if before := w.tokens[i-1]; before.kind == mark && before.text != ")" && before.text != "}" {
		return
	}
	end, depth := i+2, 0
	for ended := false; !ended && end < min(len(w.tokens), i+maxExpression); {
		switch next := w.tokens[end]; {
		case next.kind == mark && next.text == "(":
			depth++
		case next.kind == mark && next.text == ")" && depth > 0:
			depth--
		default:
			ended = depth == 0 && !(next.kind == mark && next.text == ".") && w.tokens[end-1].text != "."
		}
		if !ended {
			end++
		}
	}
	w.call(frame{callee: callee{name: t.text}, args: [][2]int{{i + 1, end}}, from: i + 1, first: i}, end)
}
