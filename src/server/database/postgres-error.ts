import pg from 'pg';
import {isDatabaseFault} from './fault.ts';

/** SQLSTATE “read_only_sql_transaction”: a standby, or a primary that was told to accept no writes. Nothing was done. */
export const readOnlyCode = '25006';

/** A plan whose tables were changed, one that is gone, and one that is there already. Nothing was done. */
const stalePlanCodes: readonly unknown[] = ['0A000', '26000', '42P05'];

/** The plans of a connection that a pooler moved to another process, where others are kept. */
const movedPlanCodes: readonly unknown[] = ['26000', '42P05'];

/** Refusals of start-up parameters: PgBouncer's and Neon's, RDS Proxy's, and of unknown names and values. */
const parameterCodes = /^(?:08P01|0A000|22023|42704)$/;

/** A wrong user or password, no such database: the same on every host. */
const loginCodes = /^(?:28|3D)/;

const codeOf = (error: unknown) => (error instanceof pg.DatabaseError ? (error.code ?? '') : '');

/** Returns whether a server refused a connection because of its start-up parameters. */
export const isRefusedParameter = (error: unknown) => parameterCodes.test(codeOf(error));

/** Returns whether a failure to connect is one of the host: not of the login, and not because all connections are in use. */
export function isOfHost(error: unknown): boolean {
	const isBusy = error instanceof Error && error.message === 'timeout exceeded when trying to connect';
	return !loginCodes.test(codeOf(error)) && !isBusy;
}

/** Returns whether a host accepts no writes (any more). */
export const isReadOnly = (error: unknown) => codeOf(error) === readOnlyCode;

export const isStalePlan = (error: unknown) => stalePlanCodes.includes(codeOf(error));

export const isMovedPlan = (error: unknown) => movedPlanCodes.includes(codeOf(error));

/** Returns whether the connection is gone, or will be: the server ended it (57P01 to 57P05, 25P03), or the network did. */
export function isLost(error: unknown): boolean {
	return error instanceof pg.DatabaseError
		? error.severity === 'FATAL' || error.severity === 'PANIC'
		: isDatabaseFault(error);
}

/** Returns whether another connection may work at once. After a silence nobody would wait for another one. */
export function isBroken(error: unknown): boolean {
	return isLost(error) && !(error instanceof Error && 'code' in error && error.code === 'ETIMEDOUT');
}

/** Returns whether what was sent may have been executed: the answer was lost, by the network or by a pooler. */
export function mayHaveRun(error: unknown): boolean {
	return isLost(error) && (!(error instanceof pg.DatabaseError) || codeOf(error).startsWith('08'));
}
