import { expectTypeOf, test } from 'vitest';
import type * as Server from './generated/schema';
import type * as Console from './wire-operator';
import type * as Platform from './wire-platform';

test('server’s types extend the console’s types', () => {
  expectTypeOf<Server.Anomaly>().toExtend<Console.Anomaly>();
  expectTypeOf<Server.AnomalyStats>().toExtend<Console.AnomalyStats>();
  expectTypeOf<Server.OrphanedTicket>().toExtend<Console.OrphanedTicket>();
  expectTypeOf<Server.ConsoleOrder>().toExtend<Console.OrderDetail>();
  expectTypeOf<Server.OrderRefunded>().toExtend<Console.OrderRefunded>();
  expectTypeOf<Server.TicketsRecovered>().toExtend<Console.TicketsRecovered>();
  expectTypeOf<Server.WaitlistEntry>().toExtend<Console.WaitlistEntry>();
  expectTypeOf<Server.Setting>().toExtend<Console.SystemSetting>();
  expectTypeOf<Server.InFlight>().toExtend<Console.InFlight>();
  expectTypeOf<Server.Enrolment>().toExtend<Console.Enrolment>();
  expectTypeOf<Server.Analytics>().toExtend<Platform.Analytics>();
  expectTypeOf<Server.Series>().toExtend<Platform.Series>();
  expectTypeOf<Server.PlatformFees>().toExtend<Platform.PlatformFees>();
  expectTypeOf<Server.SearchHit>().toExtend<Platform.SearchHit>();
});
