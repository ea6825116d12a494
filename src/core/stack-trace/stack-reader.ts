import {type FrameKind, kindOfCall, kindOfPath, kindOfSymbol} from './frame-kind.ts';

/** What a line is in a stack trace. */
export type StackLine = {
	/** Undefined for a line that is no frame, such as the message of the error. */
	readonly kind: FrameKind | undefined;
	/** True for the first line of a frame, which may have several. */
	readonly begins: boolean;
	/** True if the line before is of the same frame, and `minor` too, which this line says. */
	readonly takesBefore: boolean;
};

/** Reads a log or an output line by line, in order. Each line costs the same, however long the trace and the line are. */
export type StackReader = (line: string) => StackLine;

/** Frames of Python, Go and Rust have several lines, and mean nothing outside of a trace. */
type Language = 'python' | 'go' | 'rust';

type Reading = {
	language: Language | undefined;
	/** The kind of the last frame. */
	kind: FrameKind;
	/** Spaces before the last frame of Python. */
	indent: number;
	/** The last frames, to find those that are repeated. */
	recent: readonly string[];
};

/** Longer lines are read up to here, in UTF-16 units. */
const maxRead = 512;
/** Frames among which one counts as repeated. */
const maxRecent = 4;

const other: StackLine = {kind: undefined, begins: false, takesBefore: false};
const sgr = /\u001B\[[\d;:]{0,64}m/g;

/** A call of Node, Java or .NET, with a place or parentheses behind it: prose has none. */
const call = /^\s+at (\S.*?(?:\)|:(?:line )?\d+|<anonymous>))(?: ~?\[[^\]]*\]| \{)?$/;
/** How Java and Node say that frames are left out. */
const leftOut = /^\s+\.{3} ?\d+ (?:more|common frames|lines matching)/;
const pythonHead = /^[\s|+]*Traceback \(most recent call last\):$/;
const pythonFrame = /^([\s|]*)File "(.*)", line \d+/;
const pythonRepeated = /^\s+\[Previous line repeated \d+ more times?\]$/;
const goHead = /^goroutine \d+ .*\[.*\]:$/;
const goCall = /^(?:created by \S|\S.*\)$)/;
const goPlace = /^\s+(\S+\.(?:go|s|c)):\d+/;
const goLeftOut = /^\.{3}(?:\d+ frames|additional frames) elided\.{3}$/;
const rustHead = /^\s*stack backtrace:$/;
const rustCall = /^\s*\d+: +(?:0x[\da-f]+ - )?(\S.*)$/;
const rustPlace = /^\s+at (\S.*?:\d+(?::\d+)?)$/;

/** Creates a reader of stack traces as Node, Python, Java, Go, Rust and .NET print them. */
export function createStackReader(): StackReader {
	const reading: Reading = {language: undefined, kind: 'own', indent: 0, recent: []};
	return line => {
		const cut = line.length > maxRead ? line.slice(0, maxRead) : line;
		const text = (cut.includes('\u001B') ? cut.replace(sgr, '') : cut).trimEnd();
		// Most lines are in no trace, and end here.
		const found = reading.language || /^[\s|+]|^goroutine |^Traceback|^stack/.test(text) ? read(reading, text) : other;
		if (found === other) {
			reading.recent = [];
		}

		return found;
	};
}

function read(reading: Reading, text: string): StackLine {
	const within = reading.language && readWithin[reading.language](reading, text);
	return within ?? readAnywhere(reading, text);
}

function readAnywhere(reading: Reading, text: string): StackLine {
	reading.language = goHead.test(text)
		? 'go'
		: rustHead.test(text)
			? 'rust'
			: pythonHead.test(text)
				? 'python'
				: undefined;
	if (reading.language) {
		return other;
	}

	const [, indent, path] = pythonFrame.exec(text) ?? [];
	if (indent !== undefined && path !== undefined) {
		reading.language = 'python';
		reading.indent = indent.length;
		return frame(reading, text, kindOfPath(path));
	}

	const called = call.exec(text)?.[1];
	return called !== undefined
		? frame(reading, text, kindOfCall(called))
		: leftOut.test(text)
			? frame(reading, text, 'minor')
			: other;
}

const readWithin: Readonly<Record<Language, (reading: Reading, text: string) => StackLine | undefined>> = {
	python(reading, text) {
		if (pythonRepeated.test(text)) {
			return frame(reading, text, 'minor');
		}

		const indent = text.length - text.replace(/^[\s|]+/, '').length;
		return reading.indent > 0 && indent > reading.indent && !pythonFrame.test(text) ? rest(reading) : undefined;
	},
	go(reading, text) {
		const path = goPlace.exec(text)?.[1];
		if (path !== undefined) {
			return place(reading, kindOfPath(path));
		}

		return goLeftOut.test(text) ? frame(reading, text, 'minor') : goCall.test(text) ? begin(reading, 'own') : undefined;
	},
	rust(reading, text) {
		const path = rustPlace.exec(text)?.[1];
		if (path !== undefined) {
			return reading.kind === 'minor' ? rest(reading) : place(reading, kindOfPath(path));
		}

		const symbol = rustCall.exec(text)?.[1];
		return symbol === undefined ? undefined : begin(reading, kindOfSymbol(symbol));
	},
};

/** The first line of a frame that has its place in the next line. */
function begin(reading: Reading, kind: FrameKind): StackLine {
	reading.kind = kind;
	return {kind, begins: true, takesBefore: false};
}

/** The line with the place of a frame, which says whose code it is. */
function place(reading: Reading, kind: FrameKind): StackLine {
	const takesBefore = kind === 'minor' && reading.kind === 'own';
	reading.kind = kind;
	return {kind, begins: false, takesBefore};
}

/** A further line of the last frame. */
function rest({kind}: Reading): StackLine {
	return {kind, begins: false, takesBefore: false};
}

/** A frame on one line; `minor` if it is among the last ones, as in a recursion. */
function frame(reading: Reading, text: string, kind: FrameKind): StackLine {
	const shown = reading.recent.includes(text) ? 'minor' : kind;
	if (shown === 'own') {
		reading.recent = [text, ...reading.recent].slice(0, maxRecent);
	}

	return begin(reading, shown);
}
