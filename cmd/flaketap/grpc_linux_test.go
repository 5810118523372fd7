package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// quoteAPI asks one service by TLS and another without, by the library of gRPC that most languages share. Messages are
// bytes here: one field of text.
const quoteAPI = `import http.server, os, grpc

def method(channel):
    return channel.unary_unary("/quotes.v1.Quotes/Get")

secure = method(grpc.secure_channel("rates.example.com:443", grpc.ssl_channel_credentials()))
plain = method(grpc.insecure_channel("quotes.example.com:50051", compression=grpc.Compression.Gzip))

class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def do_GET(self):
        word = self.path.rsplit("/", 1)[1].encode()
        status, body = 200, b"well"
        if word != b"health":
            try:
                ask = plain if self.path.startswith("/plain") else secure
                body = ask(b"\x0a" + bytes([len(word)]) + word, timeout=20)[2:]
            except grpc.RpcError as e:
                status, body = 502, ("%s %s" % (e.code().name, e.details())).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
`

// nodeQuoteAPI is the same by the library that Node has of its own.
const nodeQuoteAPI = `
const grpc = require('@grpc/grpc-js'), http = require('node:http');
const secure = new grpc.Client('rates.example.com:443', grpc.credentials.createSsl());
const plain = new grpc.Client('quotes.example.com:50051', grpc.credentials.createInsecure(), { 'grpc.default_compression_algorithm': 2 });
const serialize = (word) => Buffer.concat([Buffer.from([10, word.length]), Buffer.from(word)]);
const deserialize = (message) => message.subarray(2).toString();
http.createServer((req, res) => {
  const word = req.url.split('/').pop();
  const say = (err, said) => {
    res.writeHead(err ? 502 : 200);
    res.end(err ? grpc.status[err.code] + ' ' + err.details : said);
  };
  if (word === 'health') return say(null, 'well');
  const client = req.url.startsWith('/plain') ? plain : secure;
  client.makeUnaryRequest('/quotes.v1.Quotes/Get', serialize, deserialize, word, { deadline: Date.now() + 20000 }, say);
}).listen(Number(process.env.PORT), '127.0.0.1');
`

// javaQuoteAPI is the same by that of Java, on the Netty which it brings.
const javaQuoteAPI = `
import com.sun.net.httpserver.HttpServer;
import io.grpc.*;
import io.grpc.stub.ClientCalls;
import java.io.*;
import java.net.InetSocketAddress;
import java.util.concurrent.*;

class Quotes {
  static final MethodDescriptor.Marshaller<byte[]> BYTES = new MethodDescriptor.Marshaller<>() {
    public InputStream stream(byte[] message) {
      return new ByteArrayInputStream(message);
    }

    public byte[] parse(InputStream message) {
      try {
        return message.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  };

  static final MethodDescriptor<byte[], byte[]> GET = MethodDescriptor.newBuilder(BYTES, BYTES)
      .setType(MethodDescriptor.MethodType.UNARY).setFullMethodName("quotes.v1.Quotes/Get").build();

  static String ask(Channel channel, CallOptions options, String word) {
    byte[] message = ("\n" + (char) word.length() + word).getBytes();
    return new String(ClientCalls.blockingUnaryCall(channel, GET, options.withDeadlineAfter(20, TimeUnit.SECONDS), message)).substring(2);
  }

  public static void main(String[] args) throws Exception {
    Channel secure = ManagedChannelBuilder.forAddress("rates.example.com", 443).build();
    Channel plain = ManagedChannelBuilder.forAddress("quotes.example.com", 50051).usePlaintext().build();
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(System.getenv("PORT"))), 0);
    server.createContext("/", exchange -> {
      String path = exchange.getRequestURI().getPath(), word = path.substring(path.lastIndexOf('/') + 1), said = "well";
      int status = 200;
      try {
        if (path.startsWith("/plain")) said = ask(plain, CallOptions.DEFAULT.withCompression("gzip"), word);
        if (path.startsWith("/tls")) said = ask(secure, CallOptions.DEFAULT, word);
      } catch (StatusRuntimeException e) {
        status = 502;
        said = e.getStatus().getCode() + " " + e.getStatus().getDescription();
      }
      exchange.sendResponseHeaders(status, said.length());
      try (OutputStream out = exchange.getResponseBody()) {
        out.write(said.getBytes());
      }
    });
    server.setExecutor(Executors.newCachedThreadPool());
    server.start();
  }
}
`

// An API in Python makes calls of gRPC.
func TestRealPythonGRPC(t *testing.T) {
	bin := python(t)
	b := newBench(t)
	b.write("api.py", []byte(quoteAPI))
	b.quotes(bin + "/python api.py")
}

// So does one in Node.
func TestRealNodeGRPC(t *testing.T) {
	needs.That(t, "Node", found("node"))
	modules, _ := toolsDir(t, "node")
	needs.That(t, "gRPC for Node: make tools", exists(filepath.Join(modules, "node_modules", "@grpc", "grpc-js")))
	b := newBench(t)
	b.write("api.cjs", []byte(nodeQuoteAPI))
	b.quotes("env NODE_PATH=" + modules + "/node_modules node api.cjs")
}

// So does one in Java.
func TestRealJVMGRPC(t *testing.T) {
	needs.That(t, "a JDK", found("javac") && found("java"))
	dir, _ := toolsDir(t, "java")
	jars, err := filepath.Glob(filepath.Join(dir, "grpc", "*.jar"))
	if err != nil {
		t.Fatal(err)
	}
	needs.That(t, "gRPC for Java: make tools", len(jars) > 0)
	path := strings.Join(jars, ":")
	b := newBench(t)
	b.write("Quotes.java", []byte(javaQuoteAPI))
	b.must(quickJavac + " -nowarn -cp '" + path + "' Quotes.java")
	b.quotes(quickJava + " -cp " + path + ":. Quotes")
}

// quotes has calls of gRPC that an API makes be answered by stubs, recorded, told by their statuses, and answered as
// recorded where there are no stubs; led without its knowledge, and by variables.
func (b *bench) quotes(command string) {
	t := b.t
	t.Helper()
	needs.That(t, "curl", found("curl"))
	b.write("quotes.proto", []byte(`syntax = "proto3";
package quotes.v1;
service Quotes { rpc Get(Quote) returns (Quote); }
message Quote { string word = 1; }
`))
	b.must("mkdir stubs")
	b.write("stubs/quotes.json", []byte(`{"mappings": [
  {"request": {"urlPath": "/quotes.v1.Quotes/Get"}, "response": {"jsonBody": {"word": "eleven"}}},
  {"request": {"urlPath": "/quotes.v1.Quotes/Get", "bodyPatterns": [{"equalToJson": {"word": "none"}}]},
   "response": {"headers": {"grpc-status-name": "NOT_FOUND", "grpc-status-reason": "no such word"}}}]}`))
	for _, engine := range []string{"auto", "env"} {
		b.must("rm -f flaketap.db")
		led := " --start '" + command + " # {port}' --ready http://127.0.0.1:{port}/health --external --intercept " + engine +
			" --spec rates.example.com=quotes.proto --spec quotes.example.com:50051=quotes.proto"
		b.must("flaketap record --listen 127.0.0.1:0 --stubs stubs" + led +
			" -- sh -c 'for p in tls/one plain/one tls/none plain/none; do curl -s $FLAKETAP_URL/$p; echo; done >said'")
		if got, want := b.must("cat said"), "eleven\neleven\nNOT_FOUND no such word\nNOT_FOUND no such word\n"; got != want {
			t.Errorf("by %s the API answers\n%s, want\n%s", engine, got, want)
		}
		b.quoted("")
		b.must("flaketap replay" + led)
		b.quoted(" 1")
	}
}

// quoted checks what a recording, or a replay by its number, tells of the calls.
func (b *bench) quoted(replay string) {
	b.t.Helper()
	told := b.must("flaketap inspect externals" + replay)
	for _, service := range []string{"https://rates.example.com:443", "http://quotes.example.com:50051"} {
		if !strings.Contains(told, "POST "+service+"/quotes.v1.Quotes/Get") {
			b.t.Errorf("%s is not told:\n%s", service, told)
		}
	}
	if strings.Count(told, "NOT_FOUND ×1") != 2 || strings.Count(told, "OK ×1") != 2 {
		b.t.Errorf("it says\n%s", told)
	}
}
