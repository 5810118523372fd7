import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.StringReader;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.json.JSONObject;
import org.json.JSONTokener;

/** Prints what a program may do with an answer. */
public final class Same {
  static final ObjectMapper JACKSON = new ObjectMapper();

  static class Wrong {
    public int n;
    public List<Integer> of;
  }

  interface Work {
    Object result() throws Exception;
  }

  static void show(Work work) {
    try {
      System.out.println(work.result());
    } catch (Exception e) {
      System.out.println(e);
    }
  }

  static Object copied(Object value) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(value);
    }
    return new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
  }

  @SuppressWarnings("unchecked")
  public static void main(String[] args) throws Exception {
    String answer = System.getenv("ANSWER");
    Map<String, Object> map = JACKSON.readValue(answer, new TypeReference<LinkedHashMap<String, Object>>() {});
    Map<String, Object> same = new HashMap<>(map);
    Map<String, Object> of = (Map<String, Object>) map.get("of");
    List<Map<String, Object>> list = (List<Map<String, Object>>) of.get("x");
    show(() -> map + " " + map.equals(same) + same.equals(map) + " " + (map.hashCode() == same.hashCode()) + map.keySet() + map.values() + map.entrySet());
    show(() -> JACKSON.writeValueAsString(map) + new Gson().toJson(map) + new JSONObject(map) + new TreeMap<>(map));
    show(() -> copied(map).getClass() + " " + copied(map).equals(map) + ((LinkedHashMap<?, ?>) map).clone().equals(map));
    show(() -> map.get("missing") + " " + map.getOrDefault("n", 7) + map.containsKey("t") + map.get(null) + list.get(0).containsKey("y") + list.get(0).get("y"));
    show(() -> (String) map.get("n"));
    show(() -> JACKSON.convertValue(map.get("of"), Wrong.class));
    show(() -> JACKSON.convertValue(list, new TypeReference<List<Wrong>>() {}));
    show(() -> map.put("z", 1) + " " + map.remove("z") + map.remove("n") + map.putIfAbsent("n", 1) + map.merge("n", 2, (a, b) -> (int) a + (int) b) + map);
    show(() -> JACKSON.convertValue(map, JsonNode.class));

    JsonNode tree = JACKSON.readTree(answer.getBytes());
    show(() -> tree + " " + tree.equals(tree.deepCopy()) + tree.path("no").path("where").isMissingNode() + tree.get("no") + tree.path("n").asInt() + tree.path("t").asInt(5));
    show(() -> tree.at("/of/x/0/y").isNull() + " " + tree.at("/no/1").isMissingNode() + tree.get("t").get("u") + tree.get("of").get(0) + tree.findValue("y") + tree.required("no"));
    JsonNode filled = JACKSON.readTree(answer);
    show(() -> filled.findValue("never") + " " + filled.findPath("nowhere").isMissingNode() + filled.findValue("y").isNull());
    show(() -> filled.withArray("parts").size() + " " + filled.withObject("made").isEmpty() + filled);
    show(() -> filled.withArray("t"));
    show(() -> JACKSON.treeToValue(tree, Wrong.class));
    show(() -> JACKSON.readValue(answer, Wrong.class));
    show(() -> JACKSON.readValue(answer, List.class));
    show(() -> JACKSON.readValue(answer, String.class));
    show(() -> JACKSON.readTree(answer + "}") + " " + JACKSON.readTree(answer.substring(0, answer.length() - 3)));

    JsonObject gson = JsonParser.parseString(answer).getAsJsonObject();
    show(() -> gson + " " + gson.get("no") + gson.has("t") + gson.get("n").getAsInt() + gson.getAsJsonObject("of").getAsJsonArray("x").size() + gson.deepCopy().equals(gson));
    show(() -> gson.get("t").getAsInt());
    show(() -> gson.getAsJsonArray("t"));
    show(() -> new Gson().fromJson(answer, Map.class) + " " + new Gson().fromJson(gson, Object.class) + new Gson().fromJson(new StringReader(answer), Object.class).getClass());
    show(() -> new Gson().fromJson(answer, Wrong.class));
    show(() -> new Gson().fromJson(gson, int[].class));

    JSONObject org = new JSONObject(new JSONTokener(new StringReader(answer)));
    show(() -> org + " " + org.opt("no") + org.optInt("n") + org.has("t") + org.getJSONObject("of").getJSONArray("x").getJSONObject(0).isNull("y") + org.toMap());
    show(() -> org.getInt("t"));
    show(() -> org.getJSONArray("no"));
    show(() -> new JSONObject(answer.substring(1)));
  }
}
