package flaketap.hooks;

import static net.bytebuddy.matcher.ElementMatchers.isBridge;
import static net.bytebuddy.matcher.ElementMatchers.isConstructor;
import static net.bytebuddy.matcher.ElementMatchers.isMethod;
import static net.bytebuddy.matcher.ElementMatchers.isStatic;
import static net.bytebuddy.matcher.ElementMatchers.nameStartsWith;
import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.namedOneOf;
import static net.bytebuddy.matcher.ElementMatchers.not;
import static net.bytebuddy.matcher.ElementMatchers.returns;
import static net.bytebuddy.matcher.ElementMatchers.takesArgument;
import static net.bytebuddy.matcher.ElementMatchers.takesArguments;

import java.io.File;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.dynamic.scaffold.TypeValidation;
import net.bytebuddy.implementation.Implementation;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.pool.TypePool;

/** Changes the classes of the libraries that read JSON, as they are loaded. A class that cannot be changed stays as it is. */
public final class Changes {
  private static final String JACKSON = "com/fasterxml/jackson/databind/";
  private static final String GSON = "com/google/gson/";
  private static final AtomicBoolean installed = new AtomicBoolean();

  private final Instrumentation instrumentation;
  private final File jar;
  private final ClassFileLocator own; // of the advices
  private final TypePool advices;
  private final ByteBuddy buddy = new ByteBuddy().with(TypeValidation.DISABLED).with(Implementation.Context.Disabled.Factory.INSTANCE);
  private final Map<String, Advice> known = new ConcurrentHashMap<>(); // by name

  private Changes(Instrumentation instrumentation, File jar) throws Exception {
    this.instrumentation = instrumentation;
    this.jar = jar;
    own = new ClassFileLocator.Compound(ClassFileLocator.ForJarFile.of(jar), ClassFileLocator.ForClassLoader.ofPlatformLoader());
    advices = TypePool.Default.of(own);
  }

  /** Has classes changed that are loaded from now on. A second agent of this kind does nothing. */
  public static void install(Instrumentation instrumentation, File jar) throws Exception {
    if (installed.compareAndSet(false, true)) instrumentation.addTransformer(new Lazily(instrumentation, jar));
  }

  /** Does nothing, and so loads nothing, until a class comes that is to be changed. */
  private static final class Lazily implements ClassFileTransformer {
    private final Instrumentation instrumentation;
    private final File jar;
    private Changes changes;

    Lazily(Instrumentation instrumentation, File jar) {
      this.instrumentation = instrumentation;
      this.jar = jar;
    }

    @Override
    public byte[] transform(Module module, ClassLoader loader, String name, Class<?> before, ProtectionDomain domain, byte[] code) {
      if (name == null || before != null || !isChanged(name)) return null;
      try {
        synchronized (this) {
          if (changes == null) changes = new Changes(instrumentation, jar);
        }
        return changes.of(module, loader, name, code);
      } catch (Throwable asItIs) {
        return null;
      }
    }
  }

  private static boolean isChanged(String name) {
    if (name.startsWith("org/json/JSON")) return true;
    if (name.startsWith(GSON)) return true;
    if (!name.startsWith(JACKSON)) return false;
    return name.startsWith("node/", JACKSON.length()) || name.startsWith("deser/", JACKSON.length())
        || name.equals(JACKSON + "ObjectMapper") || name.equals(JACKSON + "JsonNode");
  }

  /** Code that is put into methods. */
  private static final class Change {
    final String advice;
    final ElementMatcher.Junction<MethodDescription> methods;

    Change(String advice, ElementMatcher.Junction<MethodDescription> methods) {
      this.advice = advice;
      this.methods = methods;
    }
  }

  /** What is changed of a class. */
  private static List<Change> changes(String name) {
    if (name.startsWith(JACKSON)) return ofJackson(name.substring(JACKSON.length()));
    if (name.startsWith(GSON)) return ofGson(name.substring(GSON.length()));
    return ofOrgJson(name.substring("org/json/".length()));
  }

  private static List<Change> ofJackson(String name) {
    List<Change> all = new ArrayList<>();
    switch (name) {
      case "ObjectMapper":
        all.add(new Change("JacksonAdvice$Convert", named("_convert").and(takesArguments(2))));
        all.add(new Change("JacksonAdvice$Found", named("_findRootDeserializer").and(takesArguments(2))));
        break;
      case "deser/DefaultDeserializationContext":
        all.add(new Change("JacksonAdvice$Root", named("readRootValue").and(takesArguments(4))));
        break;
      case "node/TreeTraversingParser":
        all.add(new Change("JacksonAdvice$Tree", isConstructor().and(takesArguments(2))));
        break;
      case "deser/BeanDeserializer":
      case "deser/BuilderBasedDeserializer":
        all.add(new Change("JacksonAdvice$Bean", named("deserialize").and(takesArguments(2))));
        break;
      case "deser/std/MapDeserializer":
      case "deser/std/UntypedObjectDeserializer":
      case "deser/std/UntypedObjectDeserializer$Vanilla":
      case "deser/std/UntypedObjectDeserializerNR":
      case "deser/std/JsonNodeDeserializer":
      case "deser/std/JsonNodeDeserializer$ObjectDeserializer":
      case "deser/std/JsonNodeDeserializer$ArrayDeserializer":
        all.add(new Change("JacksonAdvice$Value", named("deserialize").and(takesArguments(2)).and(not(isBridge()))));
        break;
      default:
        if (name.equals("JsonNode") || name.startsWith("node/") && name.endsWith("Node")) ofNodes(all);
    }
    return all;
  }

  private static void ofNodes(List<Change> all) {
    ElementMatcher.Junction<MethodDescription> methods = isMethod().and(not(isStatic()));
    all.add(new Change("JacksonAdvice$Member",
        methods.and(namedOneOf("get", "path", "has", "hasNonNull", "required", "optional", "withArray", "withObject"))
            .and(takesArguments(String.class))));
    all.add(new Change("JacksonAdvice$Find", methods.and(namedOneOf("findValue", "findPath")).and(takesArguments(String.class))));
    all.add(new Change("JacksonAdvice$Element",
        methods.and(namedOneOf("get", "path", "has", "hasNonNull", "required", "optional")).and(takesArguments(int.class))));
    all.add(new Change("JacksonAdvice$At", methods.and(named("at")).and(takesArgument(0, nameStartsWith("com.fasterxml.jackson.core.")))));
    all.add(new Change("JacksonAdvice$Kind", methods.and(namedOneOf(Kinds.methods()))
        .and(takesArguments(0).or(takesArguments(1).and(nameStartsWith("as"))))));
  }

  private static List<Change> ofGson(String name) {
    List<Change> all = new ArrayList<>();
    switch (name) {
      case "Gson":
        all.add(new Change("GsonAdvice$From", named("fromJson").and(takesArguments(2))
            .and(takesArgument(0, named("com.google.gson.stream.JsonReader")))));
        break;
      case "stream/JsonReader":
        all.add(new Change("GsonAdvice$Begin", namedOneOf("beginObject", "beginArray")));
        break;
      case "internal/bind/JsonTreeReader":
        all.add(new Change("GsonAdvice$Tree", isConstructor().and(takesArguments(1))));
        break;
      case "internal/LinkedTreeMap":
        all.add(new Change("ReadsAdvice$Member", namedOneOf("get", "containsKey").and(takesArguments(1))));
        break;
      case "JsonObject":
        all.add(new Change("ReadsAdvice$Member", isMethod().and(takesArguments(String.class))
            .and(namedOneOf("get", "has", "remove", "getAsJsonPrimitive", "getAsJsonArray", "getAsJsonObject"))));
        // fall through
      case "JsonElement":
      case "JsonArray":
      case "JsonPrimitive":
      case "JsonNull":
        all.add(new Change("ReadsAdvice$Kind", isMethod().and(namedOneOf(Kinds.methods())).and(takesArguments(0))));
        break;
      default:
        if (name.startsWith("internal/bind/")) {
          ElementMatcher.Junction<MethodDescription> read = named("read").and(takesArguments(1))
              .and(takesArgument(0, named("com.google.gson.stream.JsonReader")));
          all.add(new Change("GsonAdvice$Value",
              read.and(returns(nameStartsWith("com.google.gson.Json").or(named("java.lang.Object")).or(named("java.util.Map"))))));
        }
    }
    return all;
  }

  private static List<Change> ofOrgJson(String name) {
    List<Change> all = new ArrayList<>();
    switch (name) {
      case "JSONTokener":
        all.add(new Change("OrgJsonAdvice$Tokener", isConstructor().and(takesArgument(0, java.io.Reader.class))));
        break;
      case "JSONObject":
        all.add(new Change("OrgJsonAdvice$Made", isConstructor().and(takesArgument(0, named("org.json.JSONTokener")))));
        all.add(new Change("ReadsAdvice$Member", isMethod().and(not(isStatic())).and(takesArgument(0, String.class))
            .and(nameStartsWith("get").or(nameStartsWith("opt")).or(namedOneOf("has", "isNull")))));
        all.add(new Change("OrgJsonAdvice$Enum", isMethod().and(namedOneOf("getEnum", "optEnum")).and(takesArgument(1, String.class))));
        break;
      case "JSONArray":
        all.add(new Change("OrgJsonAdvice$Made", isConstructor().and(takesArgument(0, named("org.json.JSONTokener")))));
        all.add(new Change("OrgJsonAdvice$Element", isMethod().and(takesArgument(0, int.class))
            .and(nameStartsWith("get").or(nameStartsWith("opt")))));
        break;
      default:
    }
    return all;
  }

  /** The code of a class with its changes; null where there are none. */
  private byte[] of(Module module, ClassLoader loader, String name, byte[] code) {
    List<Change> changes = changes(name);
    if (changes.isEmpty()) return null;
    String dotted = name.replace('/', '.');
    ClassFileLocator locator = new ClassFileLocator.Compound(
        ClassFileLocator.Simple.of(dotted, code), ClassFileLocator.ForClassLoader.of(loader), ClassFileLocator.ForClassLoader.ofPlatformLoader());
    TypeDescription type = TypePool.Default.of(locator).describe(dotted).resolve();
    DynamicType.Builder<?> builder = buddy.decorate(type, locator);
    for (Change change : changes) {
      Advice advice = known.computeIfAbsent(change.advice, a -> Advice.to(advices.describe("flaketap.hooks." + a).resolve(), own));
      builder = builder.visit(advice.on(change.methods));
    }
    byte[] changed = builder.make().getBytes();
    if (module.isNamed()) open(module, dotted.substring(0, dotted.lastIndexOf('.')));
    return changed;
  }

  /** Lets a module call the hooks, and these look into its package. */
  private void open(Module module, String folder) {
    Set<Module> ours = Set.of(Reads.class.getModule());
    instrumentation.redefineModule(module, ours, Map.of(), Map.of(folder, ours), Set.of(), Map.of());
  }
}
