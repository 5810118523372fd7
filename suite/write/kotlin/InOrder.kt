package flaketap

import org.junit.jupiter.api.ClassOrderer
import org.junit.jupiter.api.ClassOrdererContext
import org.junit.jupiter.api.MethodOrderer
import org.junit.jupiter.api.MethodOrdererContext

/** Runs the tests in the order of the recording; what is not of it comes last, by name. */
class InOrder : ClassOrderer, MethodOrderer {
  override fun orderClasses(context: ClassOrdererContext) {
    context.classDescriptors.sortBy { key(it.testClass.simpleName + ".") }
  }

  override fun orderMethods(context: MethodOrdererContext) {
    context.methodDescriptors.sortBy { key(context.testClass.simpleName + "." + it.method.name) }
  }

  /** Where a test, or the first of a class, stands among the recorded ones. */
  private fun key(name: String): String {
    val order = Recorded.order
    val at = order.indexOfFirst { if (name.endsWith(".")) it.startsWith(name) else it == name }
    return "%09d %s".format(if (at < 0) order.size else at, name)
  }
}
