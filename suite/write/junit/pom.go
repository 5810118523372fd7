package junit

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/write/plan"
)

// The versions that the generated projects are pinned to.
const (
	junitVersion       = "5.13.4"
	restAssuredVersion = "5.5.5"
	surefireVersion    = "3.5.3"
	compilerVersion    = "3.14.0"
	resourcesVersion   = "3.3.1"
	kotlinVersion      = "2.2.0"
	awaitilityVersion  = "4.3.0"
	brotliVersion      = "0.1.2"
	zstdVersion        = "1.5.7-4"
	wireMockVersion    = "3.13.2"
)

// pom writes the Maven project. What reads the answers whose content coding the JDK does not know is named where there
// are such, what waits for answers where a test does, and WireMock where there are mocks: the standalone one, which
// brings no library in the version of its own.
func (j *language) pom(p plan.Plan) string {
	dependencies := []string{
		dependency("org.junit.jupiter", "junit-jupiter", junitVersion),
		dependency("io.rest-assured", "rest-assured", restAssuredVersion),
	}
	if j.kotlin {
		dependencies = append(dependencies, dependency("org.jetbrains.kotlin", "kotlin-stdlib", kotlinVersion))
	}
	if waits(p) {
		dependencies = append(dependencies, dependency("org.awaitility", "awaitility", awaitilityVersion))
	}
	if len(p.Mocks) > 0 {
		dependencies = append(dependencies, dependency("org.wiremock", "wiremock-standalone", wireMockVersion))
	}
	if slices.Contains(p.Codings, "br") {
		dependencies = append(dependencies, dependency("org.brotli", "dec", brotliVersion))
	}
	if slices.Contains(p.Codings, "zstd") {
		dependencies = append(dependencies, dependency("com.github.luben", "zstd-jni", zstdVersion))
	}
	plugins := plugin("org.apache.maven.plugins", "maven-resources-plugin", resourcesVersion, "")
	if j.kotlin {
		plugins += plugin("org.jetbrains.kotlin", "kotlin-maven-plugin", kotlinVersion, kotlinCompiles)
	}
	plugins += plugin("org.apache.maven.plugins", "maven-compiler-plugin", compilerVersion, "")
	plugins += plugin("org.apache.maven.plugins", "maven-surefire-plugin", surefireVersion, "")
	return `<?xml version="1.0" encoding="UTF-8"?>
<!-- Made by flaketap from a recording: mvn test runs it. -->
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>flaketap</groupId>
  <artifactId>flaketap-` + j.name + `-tests</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.release>17</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
` + strings.Join(dependencies, "") + `  </dependencies>
  <build>
    <plugins>
` + plugins + `    </plugins>
  </build>
</project>
`
}

func dependency(group, artifact, version string) string {
	return "    <dependency>\n      <groupId>" + group + "</groupId>\n      <artifactId>" + artifact +
		"</artifactId>\n      <version>" +
		version + "</version>\n      <scope>test</scope>\n    </dependency>\n"
}

func plugin(group, artifact, version, more string) string {
	return "      <plugin>\n        <groupId>" + group + "</groupId>\n        <artifactId>" + artifact +
		"</artifactId>\n        <version>" +
		version + "</version>\n" + more + "      </plugin>\n"
}

// kotlinCompiles has the Kotlin compiler, which reads Java, run before the Java compiler, which does not read Kotlin:
// each language may call the other.
const kotlinCompiles = `        <extensions>true</extensions>
        <configuration>
          <jvmTarget>17</jvmTarget>
        </configuration>
        <executions>
          <execution>
            <id>default-test-compile</id>
            <goals>
              <goal>test-compile</goal>
            </goals>
            <configuration>
              <sourceDirs>
                <sourceDir>src/test/kotlin</sourceDir>
                <sourceDir>src/test/java</sourceDir>
              </sourceDirs>
            </configuration>
          </execution>
        </executions>
`
