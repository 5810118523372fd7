// Package jvm is the dialect of EvoMaster's tests in Java and in Kotlin: JUnit 4 or 5, REST-assured, Hamcrest. The two
// share all but their literals, their declarations and what is said of types.
//
// A file is split into tokens by suite/java and its methods with @Test are found; their statements are read in order
// (read.go): chains that send a request (call.go), the links behind then() that assert something (assert.go), with
// paths as Groovy's GPath has them (suite/jvm/meaning) and Hamcrest's matchers (suite/jvm/matching). A property's name
// that the generator did not escape is read as it ought to have been written, and put right. A tree is written as one
// link of a chain (suite/jvm/link): a guard becomes a function that REST-assured calls with the answer (guard.go), as a
// path can only be asked of a body that can be parsed.
//
// Within a JSON web token a path goes on in Groovy that decodes it. A name behind a list leads to the list of
// its elements' members, so that a matcher of lists is read for each list that there may be on the way (array.go);
// which one is meant only answers tell.
//
// A path that leads nowhere gives null in REST-assured; what is read says so, so that evaluation and runner agree. A
// file that does not compile for another reason is refused with its line.
//
// Tests in Java that people write are a second dialect (written.go). Each test is followed, as Java would run it,
// through the methods of the file that it calls (follow.go), and what names stand for is known: requests that are made
// and sent (resolve.go, request.go, suite/jvm/sending), parts of answers (answer.go) and what is made of them. Links
// of REST-assured's are read as above (linked.go); assertions of JUnit, TestNG and Hamcrest by their arguments
// (statement.go), those of AssertJ link by link (fluent.go), calls of methods that do nothing but assert by what these
// say (helper.go), those of ApprovalTests by what is approved (approved.go, suite/jvm/approval). A test with several
// values, which suite/jvm/given lists, and a loop over such (turns.go), is followed with each: what is said in all of
// its runs is one assertion (rows.go). What a lambda makes of the elements of a list is said of each of them (each.go).
// Assertions are written as conditions about the source of what they look at (subject.go, condition.go, compare.go, in
// the words of suite/jvm/words). What is not known has a reason, and stays.
//
// Those in Kotlin are a third: suite/kotlin tells them as Java, and what only Kotlin has is followed beside
// (kotlin.go): functions that run a lambda with a value, properties, Kotest's assertions.
package jvm
