import * as z from 'zod/mini';
import {dateTime} from '../scalars.ts';

/** `AutoRefillConfigResponse`: buys credits when the balance falls to the threshold, up to a monthly number of times. */
export const autoRefillSchema = z.looseObject({
	enabled: z.boolean(),
	has_payment_method: z.boolean(),
	month_count: z.int(),
	month_reset: z.nullable(dateTime),
	monthly_cap: z.nullable(z.int()),
	quantity: z.nullable(z.int()),
	threshold: z.nullable(z.int()),
});
