import {AppError} from '../../core/error.ts';
import {limitFor} from './capacity.ts';
import type {SandboxServices} from './sandbox-services.ts';
import {platformPolicy} from './sandboxing.ts';

/** What an operator changes; what is left out stays as it is, and 0 leaves it to the platform again. */
export type LimitChange = {
	/** Slug of the organization. */
	readonly organization: string;
	/** Most seconds that a sandbox may live, and what it gets where nobody asks for a time. */
	readonly max?: number | undefined;
	readonly default?: number | undefined;
	/** Most sandboxes at once. */
	readonly capacity?: number | undefined;
};

/** The limits of an organization as they are then; null is what the platform decides. */
export type LimitState = {
	readonly max_seconds: number | null;
	readonly default_seconds: number | null;
	readonly capacity: number | null;
	/** What counts in the end. */
	readonly effective: {readonly max_seconds: number; readonly default_seconds: number; readonly capacity: number};
};

/** Throws `not-found` for an organization that is not there, `usage` for a default beyond the maximum. */
export function changeLimits(
	{database, now}: Pick<SandboxServices, 'database' | 'now'>,
	{organization, max, default: usual, capacity}: LimitChange,
): Promise<LimitState> {
	return database.transaction().execute(async transaction => {
		const changes = {
			...(max !== undefined && {runtime_seconds_max: max || null}),
			...(usual !== undefined && {runtime_seconds_default: usual || null}),
			...(capacity !== undefined && {sandbox_capacity: capacity || null}),
		};
		// Sandboxes are admitted under the same row, so that none slips in between.
		const bounds = await transaction
			.updateTable('organizations')
			.set(({ref}) => ({
				...changes,
				updated_at: Object.keys(changes).length > 0 ? now().toISOString() : ref('updated_at'),
			}))
			.where('slug', '=', organization)
			.returning(['runtime_seconds_max', 'runtime_seconds_default', 'sandbox_capacity'])
			.executeTakeFirstOrThrow(
				() =>
					new AppError('not-found', `Organization not found: “${organization}”.`, {
						hint: 'Check the spelling, and that --data names the right folder.',
					}),
			);
		const {actual, configured} = limitFor(platformPolicy, bounds, null);
		const {runtime_seconds_max: most, runtime_seconds_default: chosen} = bounds;
		if (chosen !== null && chosen > configured.seconds) {
			throw new AppError('usage', `The default (${chosen} s) is longer than the maximum (${configured.seconds} s).`, {
				hint: 'Use a shorter --default or a longer --max.',
			});
		}

		return {
			max_seconds: most,
			default_seconds: chosen,
			capacity: bounds.sandbox_capacity,
			effective: {
				max_seconds: configured.seconds,
				default_seconds: actual,
				capacity: bounds.sandbox_capacity ?? platformPolicy.capacity,
			},
		};
	});
}
