// Package given knows the values that tests for the JVM run with, as annotations of JUnit's (@CsvSource, @ValueSource,
// @EnumSource, @MethodSource, @RepeatedTest) and of TestNG's (@Test(dataProvider = …)) list them.
//
// Values are those that the runner hands to the parameters: a column of CSV is a text, a number or nothing, as the
// type of the parameter has it. What is not written out, or comes from elsewhere, is not guessed: then nothing is
// known of any run.
package given
