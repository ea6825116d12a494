import process from 'node:process';
import type {Surroundings} from '../command/program.ts';
import {exitStatus} from '../core/error.ts';
import {connectLocally} from '../link/local-host.ts';
import {openHome} from '../storage/home.ts';

/**
 * Runs `service host bridge`: connects standard input and output with the host of this machine, for a terminal at the other end
 * of ssh, or for a program that speaks its protocol. Returns the exit status. Throws AppError("not-found") if no host runs.
 */
export async function runBridge({env, stdin, stdout}: Pick<Surroundings, 'env' | 'stdin' | 'stdout'>): Promise<number> {
	const {input, output} = await connectLocally(openHome(env), env);
	return new Promise<number>(resolve => {
		const end = () => resolve(0);
		stdout.removeAllListeners('error').on('error', end);
		stdin.on('error', end).on('end', () => output.end());
		input.on('error', end).on('close', end);
		process.once('SIGHUP', () => resolve(exitStatus.interrupted));
		stdin.pipe(output);
		input.pipe(stdout);
	});
}
