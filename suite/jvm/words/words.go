package words

import "strings"

// Language is the language that conditions are said in: Java, or Kotlin.
type Language struct{ Kotlin bool }

// pick gives what is said in Java, or what is in Kotlin.
func (l Language) pick(java, kotlin string) string {
	if l.Kotlin {
		return kotlin
	}
	return java
}

// Equal says that two values are equal, either of which may be null.
func (l Language) Equal(x, y string) string {
	return l.pick("java.util.Objects.equals("+x+", "+y+")", x+" == "+y)
}

// EqualText says that a value is what cannot be null: a text, a list.
func (l Language) EqualText(x, text string) string {
	return l.pick(text+".equals("+x+")", x+" == "+text)
}

// Matches says that a pattern matches the whole of a text.
func (l Language) Matches(text, pattern string) string {
	return text + ".matches(" + l.pick(pattern, "Regex("+pattern+")") + ")"
}

// Finds says that a pattern matches a piece of a text.
func (l Language) Finds(text, pattern string) string {
	return l.pick("java.util.regex.Pattern.compile("+pattern+").matcher("+text+").find()",
		"Regex("+pattern+").containsMatchIn("+text+")")
}

// class is the name of one of Java's classes.
func (l Language) class(java string) string {
	if !l.Kotlin {
		return java
	}
	switch java = strings.TrimPrefix(java, "java.util."); java {
	case "Integer":
		return "Int"
	case "List":
		return "List<*>"
	case "Map":
		return "Map<*, *>"
	}
	return java
}

// Is says that a value is of a class.
func (l Language) Is(x, class string) string {
	return x + l.pick(" instanceof ", " is ") + l.class(class)
}

// IsNot says that a value is of no such class.
func (l Language) IsNot(x, class string) string {
	return l.pick("!("+x+" instanceof "+class+")", x+" !is "+l.class(class))
}

// AsText is a value as the text that it is.
func (l Language) AsText(x string) string { return l.pick("((String) "+x+")", "("+x+" as String)") }

// AsNumber is a value as the number that it is.
func (l Language) AsNumber(x string) string {
	return l.pick("((Number) "+x+").doubleValue()", "("+x+" as Number).toDouble()")
}

// AsList is a value as the list that it is.
func (l Language) AsList(x string) string {
	return l.pick("((java.util.List<?>) "+x+")", "("+x+" as List<*>)")
}

// Shown is a value as it is shown.
func (l Language) Shown(x string) string { return l.pick("String.valueOf("+x+")", x+".toString()") }

// ShownObject is Shown for a value of any class, which may be null.
func (l Language) ShownObject(x string) string { return l.Shown(l.pick("(Object) ", "") + x) }

// Length is how many characters a text has.
func (l Language) Length(x string) string { return x + l.pick(".length()", ".length") }

// Split is the list of the pieces of a text between another one.
func (l Language) Split(x, by string) string {
	return l.pick("java.util.Arrays.asList("+x+".split(java.util.regex.Pattern.quote("+by+"), -1))", x+".split("+by+")")
}

// Size is how many elements a collection of Java's has.
func (l Language) Size(x string) string { return x + l.pick(".size()", ".size") }

// AsCollection is a value as the collection that it is.
func (l Language) AsCollection(x string) string {
	return l.pick("((java.util.Collection<?>) "+x+")", "("+x+" as Collection<*>)")
}

// List is a list of values.
func (l Language) List(items []string) string {
	if len(items) == 1 && items[0] == "null" {
		items = []string{l.pick("(Object) null", "null")}
	}
	return l.pick("java.util.Arrays.asList(", "listOf(") + strings.Join(items, ", ") + ")"
}

// OneOf says that a value is one of some.
func (l Language) OneOf(x string, items []string) string {
	return l.pick(l.List(items)+".contains("+x+")", x+" in "+l.List(items))
}

// IsNumber says that a number is one.
func (l Language) IsNumber(x string) string { return l.pick("!Double.isNaN("+x+")", "!"+x+".isNaN()") }

// Lambda is a condition about what a parameter stands for, behind the name of a method.
func (l Language) Lambda(parameter, condition string) string {
	return l.pick("("+parameter+" -> "+condition+")", " { "+parameter+" -> "+condition+" }")
}

// Double is a number of floating point.
func (l Language) Double(text string) string {
	if l.Kotlin && !strings.ContainsAny(text, ".eE") {
		text += ".0"
	}
	return text + l.pick("d", "")
}
