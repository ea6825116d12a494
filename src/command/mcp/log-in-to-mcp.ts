import type {ConfiguredServer} from '../../agent/mcp/configured-servers.ts';
import type {Environment} from '../../core/environment.ts';
import type {Interaction} from '../../platform/interaction.ts';
import {untilCancelled} from '../../platform/log-in.ts';
import {canOpenPages, openPage} from '../../terminal/browser.ts';
import type {McpAccess} from './mcp-access.ts';

/** What a login needs of a command, or of the agent's call of a tool. */
type McpLogin = {
	readonly mcp: McpAccess;
	readonly interact: Interaction;
	readonly env: Environment;
	readonly signal: AbortSignal;
};

/**
 * Logs in to an MCP server: opens the page in a browser, or shows it and asks for the address that the browser ends on. Returns a
 * sentence about where the login was saved, 'cancelled' if the user cancels.
 */
export async function logInToMcp(
	configured: ConfiguredServer,
	{mcp, interact, env, signal}: McpLogin,
	clientId: string | undefined,
): Promise<string | undefined> {
	const opens = canOpenPages(env);
	let askForAddress: () => void = () => undefined;
	const isAsked = new Promise<void>(resolve => {
		askForAddress = resolve;
	});
	return await untilCancelled({interact, signal}, (show, untilEnd) =>
		mcp.logIn(configured, {
			clientId,
			signal: untilEnd,
			onPage({url, host, expiresAt}) {
				const server = `the MCP server ${configured.server.name} at ${host}`;
				show({server, page: url, pageWithCode: url, code: '', expiresAt, onPaste: askForAddress});
				if (opens) {
					void openPage(url, env).then(
						isOpen => isOpen || interact.say("Couldn't start a browser. Open the page yourself."),
					);
				} else if (!interact.review && !interact.piped) {
					// Without a panel there is no key that asks for it.
					askForAddress();
				}
			},
			async pasted(problem) {
				await isAsked;
				if (problem) {
					interact.say(problem);
				}

				const label = 'Address that the browser ends on (http://127.0.0.1…):';
				return interact.ask({label, masked: false});
			},
		}),
	);
}
