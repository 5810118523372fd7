// Package evomaster writes test suites from a session in the forms in which the fuzzer EvoMaster writes them: Python
// (unittest, requests), Java and Kotlin (JUnit 5, REST-assured), JavaScript (Jest, superagent). What flakes in its
// suites flakes in these, on purpose: each literal is asserted as it was answered, and a test leans on whatever the
// session left behind. The tests of what reads and mends such suites use it.
package evomaster
