/** Traces as the runtimes print them. Before each line: `|` no frame, `o` a frame of the program, `-` any other frame. */
const marked = {
	Node: `
|Error: connect ECONNREFUSED 127.0.0.1:5432
o    at loadRates (/app/src/rates.ts:31:9)
-    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1555:16)
-    at Layer.handle (/app/node_modules/express/lib/router/layer.js:95:5)
-    at Array.map (<anonymous>)
-    at async Promise.all (index 0)
o    at async file:///app/src/main.mjs:3:1
-    at process.processTicksAndRejections (internal/process/task_queues.js:95:5)
-    ... 4 lines matching cause stack trace ...
-    at node:internal/main/run_main_module:23:47 {
|  errno: -2
|}
|Node.js v20.20.2`,
	Python: `
|Traceback (most recent call last):
o  File "/app/shop/main.py", line 12, in <module>
o    serve()
o    ~~~~~^^
-  File "/usr/lib/python3.12/site-packages/flask/app.py", line 880, in serve
-    return self.dispatch_request()
-           ^^^^^^^^^^^^^^^^^^^^^^^
-  File "<frozen importlib._bootstrap>", line 228, in _call
-  [Previous line repeated 993 more times]
o  File "/app/shop/rates.py", line 3, in total
o    raise ValueError(rate)
|ValueError: no rate
|
|During handling of the above exception, another exception occurred:`,
	Java: `
|Exception in thread "main" java.lang.IllegalStateException: no rate
o	at com.acme.shop.Rates.total(Rates.java:31)
-	at java.base/java.util.ArrayList.forEach(ArrayList.java:1511)
-	at org.springframework.web.servlet.DispatcherServlet.doDispatch(DispatcherServlet.java:1081) ~[spring-webmvc-6.1.jar:6.1]
-	at jdk.internal.reflect.GeneratedMethodAccessor42.invoke(Unknown Source)
o	at app//com.acme.shop.Main.main(Main.java:9) [classes/:na]
|Caused by: java.net.ConnectException: refused
o	at com.acme.shop.Db.open(Db.java:7)
-	... 14 more`,
	Go: `
|panic: no rate
|
|goroutine 1 [running]:
-panic({0x4a8b20?, 0x4f5c80?})
-	/usr/local/go/src/runtime/panic.go:770 +0x132
omain.total(0xc000012345, {0x1, 0x2})
o	/app/rates.go:31 +0x1d
-net/http.HandlerFunc.ServeHTTP(0x0?, {0x5?, 0x6?}, 0x7?)
-	/usr/local/go/src/net/http/server.go:2171 +0x29
-github.com/go-chi/chi/v5.(*Mux).routeHTTP(0xc0000b2000)
-	/home/dev/go/pkg/mod/github.com/go-chi/chi/v5@v5.0.12/mux.go:459 +0x2e3
-created by net/http.(*Server).Serve in goroutine 1
-	/usr/local/go/src/net/http/server.go:3285 +0x4b4
|
|exit status 2`,
	Rust: `
|thread 'main' panicked at src/rates.rs:31:9:
|no rate
|stack backtrace:
-   0: __rustc::rust_begin_unwind
-             at /rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library/std/src/panicking.rs:665:5
-   1: core::panicking::panic_fmt
-             at /rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library/core/src/panicking.rs:74:14
o   2: shop::rates::total
o             at ./src/rates.rs:31:9
-   3: tokio::runtime::task::core::Core<T,S>::poll
-             at /home/dev/.cargo/registry/src/mirror-6f17d22bba15001f/tokio-1.38.0/src/runtime/task/core.rs:331:17
o   4: shop::main
o             at ./src/main.rs:4:5
-   5: <fn() as core::ops::function::FnOnce<()>>::call_once
-             at /rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library/core/src/ops/function.rs:250:5
|note: Some details are omitted, run with \`RUST_BACKTRACE=full\` for a verbose backtrace.`,
	'.NET': `
|Unhandled exception. System.InvalidOperationException: no rate
o   at Shop.Rates.Total(String name) in /app/Rates.cs:line 31
-   at System.Linq.Enumerable.Sum[T](IEnumerable\`1 source)
-   at Microsoft.AspNetCore.Routing.EndpointMiddleware.Invoke(HttpContext context)`,
	prose: `
|  at the moment nothing is known
|  at 12:30 we go home
|  File a report, line 3
|    indented
|panic is not an error
|1: first
|... 3 more
|
|   2: second`,
} as const;

/** Returns the lines of each trace, and what each is. */
export const traces = Object.entries(marked).map(([name, text]) => {
	const rows = text.slice(1).split('\n');
	const kinds = rows.map(row => ({'|': undefined, o: 'own', '-': 'minor'})[row[0] ?? '|']);
	return {name, lines: rows.map(row => row.slice(1)), kinds};
});

/** Returns the lines of one of them. */
export function traceOf(name: keyof typeof marked): readonly string[] {
	return traces.find(trace => trace.name === name)?.lines ?? [];
}
