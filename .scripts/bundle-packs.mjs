import {createHash} from 'node:crypto';
import {basename} from 'node:path';
import {toCommonJs} from './bundle-commonjs.mjs';

/**
 * Packs, each a file: the chunks that these modules reach and that no earlier pack has. What a command shares with the screen
 * is a pack of its own, so that a command never reads the screen, and so is what a message shares with the drawing of a
 * conversation. Every other chunk is a file by itself.
 */
const main = ['src/main.ts'];
const screen = [
	...['src/store/store.ts', 'src/ui/start.tsx', 'src/config/terminal-widths.ts'],
	'src/config/settings/accessible.ts',
];
const program = [
	...['src/store/store.ts', 'src/program/program.ts', 'src/config/keychain.ts', 'src/storage/debug-log.ts'],
	...['src/headless/headless.ts', 'src/headless/shell.ts', 'src/config/settings/accessible.ts'],
];
/** What the app loads after the first frame. */
const conversation = [
	...['src/ui/open-conversation.ts', 'src/ui/logs/app-logs.ts', 'src/ui/panels/trust-questions.ts'],
	...['src/ui/transcript/painter.ts', 'src/ui/transcript/block-lines.ts', 'src/terminal/markdown/markdown-stream.ts'],
];
/** What the first message loads. */
const message = [
	...['src/agent/tools/tools.ts', 'src/net/undici-transport.ts', 'src/net/web/web-request.ts'],
	...['src/agent/tools/command/command-session.ts', 'src/providers/chat/openai-chat.ts'],
	...[
		'src/session/budget-guard.ts',
		'src/agent/mentions/image-source.ts',
		'src/net/undici-agent.ts',
		'src/core/catalog.ts',
	],
	...['undici/lib/dispatcher/agent.js', 'undici/lib/api/api-request.js'],
];
const server = ['src/server/run/worker.ts'];

/** Returns the chunks that each pack holds, by the name of the pack. */
function plan(outputs) {
	const reach = modules => {
		const found = new Set();
		const visit = path => {
			if (!found.has(path)) {
				found.add(path);
				for (const {kind, path: next} of outputs[path].imports) {
					if (kind === 'import-statement' && outputs[next]) {
						visit(next);
					}
				}
			}
		};
		modules.map(module => entryOf(outputs, module)).forEach(visit);
		return found;
	};
	const [screens, programs] = [reach(screen), reach(program)];
	const client = reach(
		Object.values(outputs).flatMap(({entryPoint}) =>
			entryPoint && !entryPoint.startsWith('src/server/') ? [entryPoint] : [],
		),
	);
	const [conversations, messages] = [reach(conversation), reach(message)];
	const groups = {
		main: reach(main),
		shared: new Set([...screens].filter(path => programs.has(path))),
		screen: screens,
		program: programs,
		common: new Set([...messages].filter(path => conversations.has(path))),
		conversation: conversations,
		message: messages,
		server: new Set([...reach(server)].filter(path => !client.has(path))),
	};
	const taken = new Set();
	const packs = new Map();
	for (const [name, paths] of [
		...Object.entries(groups),
		...Object.keys(outputs).map(path => [basename(path, '.js').replace(/-[A-Z\d]{8}$/, ''), [path]]),
	]) {
		const own = [...paths].filter(path => !taken.has(path));
		if (own.length > 0) {
			for (const path of own) {
				taken.add(path);
			}

			packs.set(`${name}-${hashOf(own)}`, own);
		}
	}

	return packs;
}

function entryOf(outputs, module) {
	const paths = Object.keys(outputs);
	const found =
		paths.find(path => outputs[path].entryPoint?.endsWith(module)) ??
		paths.find(path => Object.keys(outputs[path].inputs).some(input => input.endsWith(module)));
	if (!found) {
		throw new Error(
			`The build has no chunk for ${module}, which a pack begins with. Name the module that replaced it.`,
		);
	}

	return found;
}

/** The names of chunks contain hashes of their content. */
function hashOf(paths) {
	return createHash('sha256').update(paths.toSorted().join()).digest('hex').slice(0, 8);
}

/**
 * Returns the packs of a build of ES modules as CommonJS: for each its name, its text, which is an expression, and the chunks
 * in it. Node reads and
 * compiles a few files faster than many, and CommonJS faster than modules; V8's cached code exists for scripts alone.
 * Also returns the id of the chunk of each entry point.
 */
export async function packsOf({outputFiles, metafile: {outputs}}, options) {
	const planned = plan(outputs);
	const ids = new Map(
		[...planned].flatMap(([name, paths]) => paths.map(path => [basename(path), `#${name}/${basename(path, '.js')}`])),
	);
	const textOf = new Map(outputFiles.map(({path, text}) => [basename(path), text]));
	const packs = await Promise.all(
		[...planned].map(async ([name, paths]) => {
			const chunks = await Promise.all(
				paths.map(async path => {
					const code = await linked(textOf.get(basename(path)), ids, options);
					return `${JSON.stringify(ids.get(basename(path)))}:function(exports,require,module,__load){${code}}`;
				}),
			);
			return {name, paths, text: `({${chunks.join(',\n')}})\n`};
		}),
	);
	return {packs, idOf: module => ids.get(basename(entryOf(outputs, module)))};
}

/** Returns a chunk as CommonJS, in which other chunks are named by their ids. */
async function linked(text, ids, options) {
	const named = text.replace(/^#!.*\n/, '').replace(/\bimport\("([^"]+)"\)/g, (_, path) => {
		return `__load(${JSON.stringify(path.startsWith('.') ? idOfFile(basename(path), ids) : path)})`;
	});
	const code = (await toCommonJs(named, options)).replace(/\brequire\("\.[^"]*?([^"/]+\.js)"\)/g, (_, file) => {
		return `require(${JSON.stringify(idOfFile(file, ids))})`;
	});
	// What esbuild leaves are regular expressions. One such character would double the memory of the whole pack.
	return code.trim().replace(/[^\x00-\x7f]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function idOfFile(file, ids) {
	const id = ids.get(file);
	if (!id) {
		throw new Error(`A chunk imports ${file}, which is not in the build.`);
	}

	return id;
}
