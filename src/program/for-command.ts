import type {CommandRequest} from '../command/context.ts';
import type {ServersPart} from '../command/parts.ts';
import type {Program} from '../command/program.ts';
import type {Traces} from '../platform/traces/traces.ts';
import {createDoctor} from './doctor-parts.ts';
import type {LocalState} from './local-state.ts';
import type {ProgramOptions} from './program-options.ts';
import type {Servers} from './servers.ts';

/** Returns a function that builds the context of one command: the program, with servers as the command reaches them. */
export function contextsOf(
	parts: Omit<Program, 'forCommand' | 'warnings' | 'endTraces' | 'close'>,
	traces: Traces,
	{options, local, servers}: {readonly options: ProgramOptions; readonly local: LocalState; readonly servers: Servers},
): Program['forCommand'] {
	const serversFor = (request: CommandRequest): ServersPart => {
		const {flags, signal, ui} = request;
		return {
			platform: servers.platform.forCommand(request),
			traces: traces.forCommand({live: ui.live !== undefined, flags}),
			diagnose: createDoctor(options, local, servers, {flags, signal, mcp: parts.mcp}),
		};
	};
	return request => ({...request, program: {...parts, servers: serversFor(request)}});
}
