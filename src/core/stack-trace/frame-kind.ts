import {formatAmount} from '../format.ts';

/** Whose code a frame is: `own` of the program at work; `minor` of a library or the runtime, or one that was just there. */
export type FrameKind = 'own' | 'minor';

/** Folders that hold other people's code, of Node, Python, Go and Rust. */
const libraryPath = new RegExp(
	[
		'node_modules[\\\\/]',
		'(?:^|[\\s(])(?:node:|internal/)',
		'(?:site|dist)-packages[\\\\/]',
		'[\\\\/][Ll]ib(?:64)?[\\\\/]python\\d',
		'[\\\\/]Python\\d*[\\\\/][Ll]ib[\\\\/]',
		'<frozen ',
		'[\\\\/](?:go|Go|go-\\d[\\w.]*|golang|libexec)[\\\\/]src[\\\\/]',
		'[\\\\/]pkg[\\\\/]mod[\\\\/]',
		'_testmain\\.go',
		'[\\\\/]rustc[\\\\/]',
		'\\.cargo[\\\\/](?:registry|git)[\\\\/]',
		'[\\\\/]rust(?:lib|up)[\\\\/]',
	].join('|'),
);

/** What stands for a place in calls that the runtime makes itself. */
const withoutPlace = /\((?:<anonymous>|native(?: code)?|index \d+|Native Method|Unknown Source)\)$|^<anonymous>$/;

/** Packages of Java and .NET that come with the language, or that nearly every trace has. */
const libraryPackage = new RegExp(
	`^(?:[\\w.$@-]*/{1,2}){0,2}(?:${[
		'java|javax|jdk|sun|com\\.sun|jakarta|kotlin|kotlinx|scala|groovy|clojure|akka|reactor|okhttp3|retrofit2',
		'org\\.(?:apache|codehaus|eclipse|gradle|hibernate|jboss|jetbrains|junit|mockito|springframework|testng)',
		'io\\.(?:micrometer|netty|reactivex|undertow|vertx)|com\\.(?:fasterxml|google|intellij|zaxxer)',
		'System|Microsoft',
	].join('|')})\\.`,
);

/** Functions of Rust's runtime. */
const rustRuntime =
	/^(?:<?(?:std|core|alloc|test|__rustc)::|<.{1,200} as (?:std|core|alloc)::|__?rust_|rust_(?:begin|panic)|_?_?(?:main|start)$|__libc_|clone3?$)/;

/** Returns whose code is in the file of a frame. */
export function kindOfPath(path: string): FrameKind {
	return libraryPath.test(path) ? 'minor' : 'own';
}

/** Returns whose code a call is, as Node, Java and .NET write it after `at `. */
export function kindOfCall(call: string): FrameKind {
	return libraryPath.test(call) || withoutPlace.test(call) || libraryPackage.test(call) ? 'minor' : 'own';
}

/** Returns whose code a function of Rust is. */
export function kindOfSymbol(symbol: string): FrameKind {
	return rustRuntime.test(symbol) ? 'minor' : 'own';
}

/** Returns what stands for folded frames of a stack trace on every screen. */
export function foldText(frames: number): string {
	return `    … ${formatAmount(frames, 'frame')}`;
}
