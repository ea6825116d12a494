import * as z from 'zod/mini';
import {dateTime} from '../scalars.ts';

/** `AutoRefillConfigResponse`: credits are bought when they fall to the threshold, at most so often a month. */
export const autoRefillSchema = z.looseObject({
	enabled: z.boolean(),
	has_payment_method: z.boolean(),
	month_count: z.int(),
	month_reset: z.nullable(dateTime),
	monthly_cap: z.nullable(z.int()),
	quantity: z.nullable(z.int()),
	threshold: z.nullable(z.int()),
});
