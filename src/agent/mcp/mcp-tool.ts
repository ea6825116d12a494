import type {KnownTools} from '../../config/mcp/known-tools.ts';
import type {Tool, ToolContext} from '../../core/session/tool.ts';
import type {AskUser} from '../../core/session/user-question.ts';
import {refusal} from '../policy/rules/rule.ts';
import type {McpTool} from './definition.ts';
import {resultText} from './result-text.ts';
import type {Server} from './server.ts';
import type {StepUp} from './step-up.ts';

type Options = {
	/** The name of the server in rules. */
	readonly serverId: string;
	/** Names the server and where it is configured, in what was allowed. */
	readonly serverKey: string;
	/** What the server is: its command line or its URL. */
	readonly target: string;
	/** True if a command on this machine runs it. */
	readonly isLocal: boolean;
	/** Runs a call that may change files. */
	readonly aroundCall?: <Result>(call: () => Promise<Result>) => Promise<Result>;
	readonly server: Server;
	readonly stepUp: StepUp;
	/** Returns what asks the user of the session; undefined if nobody can be asked. */
	readonly ask: () => AskUser | undefined;
	readonly timeoutMs: number;
	readonly known: KnownTools;
	/** Masks credentials. */
	readonly hide: (text: string) => string;
};

/**
 * Creates the tool that calls a tool of a server. Every call needs the user's approval, or a rule. What the server says about
 * the tool counts for nothing but the text for the model.
 */
export function createMcpTool(definition: McpTool, options: Options): Tool {
	const {name, description, parameters, listedName, id, hash, claimsReadOnly} = definition;
	const {
		serverId,
		serverKey,
		target,
		isLocal,
		server,
		timeoutMs,
		known,
		hide,
		stepUp,
		aroundCall = call => call(),
	} = options;
	return {
		name,
		description,
		parameters,
		readOnly: false,
		async run(args, context) {
			const before = known.recall(serverKey, id);
			const isChanged = before !== undefined && before !== hash;
			const permission = await context.approve({
				act: {
					kind: 'mcp',
					server: serverId,
					tool: id,
					arguments: args,
					isLocal,
					...(claimsReadOnly && {claimsReadOnly: true}),
					...(isChanged && {isChanged: true}),
				},
				summary: `Call ${id} of the MCP server ${serverId}?`,
				subject: `mcp\n${serverKey}\n${id}\n${hash}\n${JSON.stringify(args)}`,
				facts: [
					['Server', target],
					...(listedName === id ? [] : [['Tool', hide(listedName)] as const]),
					...(claimsReadOnly ? [['Claims', 'it only reads'] as const] : []),
				],
			});
			if (!permission.allowed) {
				throw refusal('The user did not allow this call. It did not run.', permission.reason);
			}

			if (before !== hash) {
				await known.remember(serverKey, id, hash);
			}

			const onProgress = (text: string) => context.onOutput(`${hide(text.slice(0, 500))}\n`);
			const onNotice: ToolContext['onNotice'] = (text, more) => context.onNotice?.(hide(text), more);
			const {signal} = context;
			const ask = options.ask();
			const result = await stepUp.around(
				() => aroundCall(() => server.call(listedName, args, {signal, timeoutMs, onProgress, onNotice, ask})),
				{signal, onNotice, ask, tool: id},
			);
			return resultText(result, context, hide);
		},
	};
}
