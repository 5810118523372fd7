package polling

import (
	"testing"

	"github.com/flaketap/flaketap/suite/script"
)

// A suite has Awaitility where its files import it, or its build files name it in a version that is new enough.
func TestHasAwaitility(t *testing.T) {
	const named = "<dependency><artifactId>awaitility</artifactId>\n  <version>4.3.0</version></dependency>"
	for name, tt := range map[string]struct {
		file, text string
		beside     map[string]string
		want       bool
	}{
		"nothing":              {"a/ATest.java", "import org.junit.Test;", nil, false},
		"an import":            {"a/ATest.java", "import static org.awaitility.Awaitility.await;", nil, true},
		"a text":               {"a/ATest.java", `"import org.awaitility.Awaitility;"`, nil, false},
		"a pom beside":         {"ATest.java", "", map[string]string{"pom.xml": named}, true},
		"a pom above":          {"a/src/test/java/ATest.java", "", map[string]string{"a/pom.xml": named}, true},
		"one above the folder": {"src/ATest.java", "", map[string]string{"../../pom.xml": named}, true},
		"an absolute path":     {"/a/src/ATest.java", "", map[string]string{"/a/pom.xml": named}, true},
		"above the repository": {"/a/b/src/ATest.java", "", map[string]string{"/a/pom.xml": named, "/a/b/.git/HEAD": ""}, false},
		"managed only":         {"ATest.java", "", map[string]string{"pom.xml": "<dependencyManagement>" + named + "</dependencyManagement>"}, false},
		"too old":              {"ATest.java", "import org.awaitility.Awaitility;", map[string]string{"pom.xml": "<artifactId>awaitility</artifactId>\n<version>3.1.6</version>"}, false},
		"too old by a property": {"ATest.java", "import org.awaitility.Awaitility;",
			map[string]string{"pom.xml": "<awaitility.version>4.0.3</awaitility.version>"}, false},
		"Gradle": {"app/src/ATest.kt", "", map[string]string{"app/build.gradle.kts": `testImplementation("org.awaitility:awaitility-kotlin:4.2.0")`}, true},
		"an old one of Gradle's": {"app/src/ATest.kt", "",
			map[string]string{"app/build.gradle": `testImplementation 'org.awaitility:awaitility:3.0.0'`}, false},
		"a bundle": {"app/src/ATest.kt", "", map[string]string{"gradle/libs.versions.toml": `awaitility = { module = "org.awaitility:awaitility", version = "4.2.0" }`,
			"app/build.gradle": "testImplementation(libs.bundles.testing)"}, true},
		"a catalog of others":    {"app/src/ATest.kt", "", map[string]string{"gradle/libs.versions.toml": `awaitility = "4.2.0"`, "app/build.gradle": ""}, false},
		"commented out in a pom": {"ATest.java", "", map[string]string{"pom.xml": "<!-- " + named + " -->"}, false},
		"excluded":               {"ATest.java", "", map[string]string{"pom.xml": "<exclusions><exclusion><artifactId>awaitility</artifactId></exclusion></exclusions>"}, false},
		"commented out in Gradle": {"ATest.kt", "", map[string]string{"build.gradle": "repositories { maven { url 'https://a.test' } }\n" +
			"  // testImplementation 'org.awaitility:awaitility:4.3.0'\n/* testImplementation 'org.awaitility:awaitility:4.3.0' */"}, false},
		"a version of Gradle's that is told elsewhere": {"ATest.kt", "import org.awaitility.Awaitility", map[string]string{
			"build.gradle": `testImplementation "org.awaitility:awaitility:$awaitilityVersion"`, "gradle.properties": "awaitilityVersion=4.0.3"}, false},
		"a property of Gradle's alone": {"ATest.kt", "", map[string]string{"gradle.properties": "awaitilityVersion=4.2.0"}, false},
		"a table of a catalog, too old": {"ATest.kt", "", map[string]string{"build.gradle": "testImplementation(libs.awaitility)",
			"gradle/libs.versions.toml": `awaitility = { module = "org.awaitility:awaitility", version = "4.0.3" }`}, false},
		"a map of Gradle's, too old": {"ATest.kt", "", map[string]string{
			"build.gradle": "testImplementation group: 'org.awaitility', name: 'awaitility', version: '3.0.0'"}, false},
		"a scope before a version, too old": {"ATest.java", "", map[string]string{
			"pom.xml": "<artifactId>awaitility</artifactId><scope>test</scope><version>4.0.3</version>"}, false},
		"a property whose name ends with it, too old": {"ATest.java", "import org.awaitility.Awaitility;",
			map[string]string{"pom.xml": "<version.awaitility>4.0.3</version.awaitility>"}, false},
	} {
		s := &script.Script{File: tt.file, Beside: func(path string) (string, bool) { text, ok := tt.beside[path]; return text, ok }}
		if got := HasAwaitility(s, tt.text); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	if HasAwaitility(&script.Script{File: "ATest.java"}, "") {
		t.Error("a file that has none beside has Awaitility")
	}
}
