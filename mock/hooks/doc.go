// Package hooks has an API in Node, Python or the JVM tell which fields it reads of what its services answer, and what
// it compares them with. Nothing of it is needed to serve mocks: it is put in by environment, where somebody asks.
//
// # The way of a read
//
//  1. [Install] writes a small file for each runtime, and [Hooks.Variables] has the runtime load it before all else:
//     NODE_OPTIONS (node/hooks.cjs) and PYTHONPATH (python/sitecustomize.py). A JVM is given an agent, by
//     JAVA_TOOL_OPTIONS, where there is one ([FindAgent]): a file of its own, which make agent builds of folder jvm.
//  2. An answer is marked ([Hooks.Mark]): sixteen blanks and tabs behind its first bracket, which no parser minds, are
//     the number of the call. What bears no mark the files leave alone, so that nothing else of the API changes.
//  3. Of what bears one, Node gets a Proxy, and Python subclasses of dict and str, which behave as what they stand for.
//     Models of pydantic, and dataclasses, tell their fields as a whole. The agent changes Jackson, Gson and org.json
//     as they are loaded.
//     A parser of a text that bears a mark is known by its identity, and so is what comes of it; the class that Jackson
//     or Gson makes an object of tells its fields as a whole.
//  4. Each read is one line that is appended to a file, before the API goes on: when its answer is here, so are its
//     reads ([Hooks.Reads]). A socket would be read beside it, and kept open.
//
// # What bounds it
//
// Of one answer 500 reads are told, and its first 5,000 objects, 32 levels deep; of one trial 20,000 are read. If
// the file cannot be written, nothing is told, and the API goes on.
package hooks
