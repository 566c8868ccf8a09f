/** The shapes on the wire. Written by `npm run types` from the server's own description; never by hand. */
export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The club's acceptance of the platform's terms, as it was stored. */
        AcceptedTerms: {
            acceptedAt: string;
            id: number;
            termsVersion: string;
        };
        /** @description Whether all draw actors run. */
        ActorsCheck: {
            /** @description Draws with a running actor. */
            awake: number;
            ok: boolean;
            /** @description Draws that are paused after repeated failures, until an operator acts. */
            paused: number;
        };
        /** @description A ticket that was allocated. */
        AllocatedTicket: {
            drawNumber: number;
            /** @description Serial number of the ticket: `FD-1042-007`. */
            serialNumber: string;
            ticketNumber: number;
        };
        /** @description Totals of the platform. */
        Analytics: {
            /** @description Clubs whose account may take payments. */
            activeClubs: number;
            activeDraws: number;
            clubRevenue: string;
            feesEstimated: boolean;
            platformFees: string;
            prizeMoney: string;
            refunded: string;
            stripeFees: string;
            ticketsSold: number;
            /** @description Clubs that are not archived (decision I-10). */
            totalClubs: number;
            totalDraws: number;
            totalRevenue: string;
        };
        /** @description An anomaly of a payment. */
        Anomaly: {
            amount: string | null;
            clubId: number | null;
            clubName: string | null;
            customerEmail: string | null;
            customerName: string | null;
            customerPhone: string | null;
            /** @description Data about the anomaly. Each `type` has the same fields. */
            details: Record<string, never>;
            detectedAt: string;
            drawNumbers: number[];
            /** @description Id of the anomaly, a UUID. */
            id: string;
            /** @description Id of the payment's order; `null` when no order matches. */
            orderId: string | null;
            paymentIntentId: string | null;
            resolution: string | null;
            resolved: boolean;
            resolvedAt: string | null;
            /** @description Who resolved the anomaly: `Super Admin` for an operator, `System` for the reconciler. */
            resolvedBy: string | null;
            /** @description E-mail address of the operator who resolved the anomaly, if an operator did. */
            resolvedByEmail: string | null;
            /** @description Name of the operator who resolved the anomaly, if an operator did. */
            resolvedByName: string | null;
            /** @description URL of the payment in Stripe's dashboard, or in the sandbox's. */
            stripeUrl: string | null;
            ticketCount: number | null;
            /**
             * @description `missing_ticket`, `duplicate_payment`, `failed_allocation`, `mismatched_amount`,
             *     `orphaned_ticket`, `dispute` or `owed_refund`.
             */
            type: string;
        };
        /** @description Numbers of payment anomalies, resolved and unresolved. */
        AnomalyStats: {
            oldestUnresolvedAt: string | null;
            resolved: number;
            total: number;
            unresolved: number;
        };
        /** @description The body that archives or restores a draw. */
        ArchiveForm: {
            /**
             * @description Whether to archive (true or absent) or to restore the draw (false).
             * @default null
             */
            archived: boolean | null;
        };
        /** @description The state of the audit log's hash chain. */
        AuditChain: {
            brokenAt: number | null;
            head: string;
            length: number;
            /** @description Whether each entry's hash follows from the one before. */
            verified: boolean;
        };
        /** @description One entry of the audit log. */
        AuditEntry: {
            action: string;
            /** @description Who acted, by session: `operator 1`, `club 3`, `club 3 member 7`. */
            actor: string;
            at: string;
            /**
             * @description Who acted, for display: `Super Admin` for an operator, name and e-mail address of a club
             *     user, otherwise the value of `actor`.
             */
            by: string;
            detail: Record<string, never>;
            /** @description Hash over this entry and the previous entry's hash, in hexadecimal. */
            hash: string;
            id: number;
            ip: string | null;
            /** @description Name of the operator, club member or club that acted. */
            name: string | null;
            /** @description The changed object: `draw:1042`, `order:…`, `setting:…` */
            object: string;
            previousHash: string;
        };
        /** @description A page of audit entries. */
        AuditTrail: {
            chain: components["schemas"]["AuditChain"];
            entries: components["schemas"]["AuditEntry"][];
            /** @description Value of the query parameter `before` that requests the next page of older entries. */
            next: number | null;
            /** @description Number of entries that the filters select, on all pages. */
            total: number;
        };
        /** @description Numbers of tickets of a draw (decision F-10). */
        AvailableTickets: {
            available: number;
            count: number;
            held: number;
            sold: number;
            ticketNumbers: number[];
            /** @description At most 50 free ticket numbers. */
            tickets: number[];
            total: number;
        };
        /** @description Bank details as the club or the winner submits them. */
        BankDetails: {
            /** @default null */
            accountName: string | null;
            /**
             * @description Bank account number: six to ten digits.
             * @default null
             */
            accountNumber: string | null;
            /**
             * @description Bank branch code (BSB): six digits, with or without a hyphen.
             * @default null
             */
            bsb: string | null;
            /**
             * @description The secret of the claim link that was mailed to the winner. Absent when the club submits.
             * @default null
             */
            token: string | null;
        };
        /** @description What the buyer's bank said about a payment: a dispute, an inquiry or an early fraud warning. */
        BankNotice: {
            at: string;
            /** @description One or two sentences for the operator. */
            text: string;
        };
        /** @description A bought ticket with its number pair. */
        BoughtTicket: {
            awayNumber: number;
            drawNumber: number;
            homeNumber: number;
            serialNumber: string;
            ticketNumber: number;
        };
        /** @description The buyer's contact details. Each field has two accepted names. */
        Buyer: {
            email?: string | null;
            name?: string | null;
            phone?: string | null;
        };
        /** @description A paid order of one of the club's buyers. */
        BuyerOrder: {
            boughtAt: string;
            buyerEmail: string;
            buyerName: string;
            buyerPhone: string | null;
            drawNumbers: number[];
            orderId: string;
            ticketCount: number;
            total: string;
        };
        /** @description What cancelling a draw would refund; after the cancellation, its progress. */
        Cancellation: {
            drawNumber: number;
            orders: number;
            platformFeeReturned: string;
            refunds: components["schemas"]["RefundsSoFar"];
            refundTotal: string;
            status: string;
            tickets: number;
            whyNot: string | null;
        };
        /** @description A line of a cart. Prices and fees in it are ignored (decision C-3). */
        CartItem: {
            /** @description The offer that the line was added from. */
            bundleId?: number | null;
            drawId?: number | null;
            drawNumber?: number | null;
            quantity?: number | null;
        };
        /** @description The results of all health checks. Each has a field `ok`, true if the check passed. */
        Checks: {
            actors: components["schemas"]["ActorsCheck"];
            clock: components["schemas"]["ClockCheck"];
            database: components["schemas"]["DatabaseCheck"];
            integrity: components["schemas"]["IntegrityCheck"];
            mail: components["schemas"]["MailCheck"];
            provider: components["schemas"]["ProviderCheck"];
            reconciler: components["schemas"]["ReconcilerCheck"];
            sockets: components["schemas"]["SocketsCheck"];
            webhook: components["schemas"]["WebhookCheck"];
        };
        /** @description The data of the winner's claim page, which the mailed link opens without a login. */
        Claim: {
            awayNumber: number;
            awayTeam: string;
            bank: components["schemas"]["MaskedBankDetails"] | null;
            clubName: string;
            clubSlug: string;
            contactName: string | null;
            contactPhone: string | null;
            drawNumber: number;
            gameDate: string;
            homeNumber: number;
            homeTeam: string;
            league: string | null;
            prize: string;
            respondBy: string | null;
            serialNumber: string;
            /** @description State of the claim: `open`, `received` (bank details submitted), `completed` or `expired`. */
            state: string;
            timezone: string;
            winnerName: string;
        };
        /** @description An event that a page reports about an offer, such as a view, for this site's own statistics. */
        ClientEvent: {
            /** @default null */
            bundleSlug: string | null;
            /** @default null */
            clubSlug: string | null;
            /**
             * @description `offer_view`, `offer_share` or `offer_add_to_cart`.
             * @default null
             */
            event: string | null;
        };
        /** @description Whether this node's clock agrees with the database's clock. */
        ClockCheck: {
            /** @description Milliseconds that this node's clock is ahead of the database's; negative when behind. */
            offMs: number;
            ok: boolean;
        };
        /**
         * @description The data of a club's public page. `slug` is the requested slug, `canonicalSlug` the current one
         *     (decision A-16).
         */
        Club: {
            accentColor: string;
            activeDraws?: components["schemas"]["Draw"][];
            canonicalSlug: string;
            completedDraws?: components["schemas"]["Draw"][];
            facebookPixelId: string | null;
            goalAmount: string | null;
            /** @description What the club raises money for, and how much. */
            goalText: string | null;
            homePageEnabled: boolean;
            homePageSlug: string;
            homePageTagline: string;
            homePageTitle: string | null;
            id: number;
            logoUrl: string | null;
            name: string;
            photoUrl: string | null;
            primaryColor: string;
            /** @description Ticket sales of the club's completed draws without the prizes that were won. */
            raisedSoFar?: string;
            secondaryColor: string;
            slug: string;
            sponsorLogoUrl: string | null;
            sponsorName: string | null;
        };
        /** @description An entry of the club's activity log. */
        ClubActivity: {
            /** @description The action's name in the audit log, such as `enter-results`. */
            action: string;
            at: string;
            /** @description The person's name, `your club’s login`, `the platform operator` or `the winner`. */
            by: string;
            drawNumber: number | null;
            /** @description The game of a draw; null for another object. */
            game: string | null;
            id: number;
        };
        /** @description Data for the `<head>` of a club's page. */
        ClubPageMetadata: {
            accentColor: string;
            facebookPixelId: string | null;
            logoUrl: string | null;
            name: string;
            primaryColor: string;
            secondaryColor: string;
            tagline: string;
        };
        /** @description The response to reminding a club of a due result. */
        ClubReminded: {
            message: string;
            /** @description False when the club got this mail within the last hour. */
            sent: boolean;
        };
        /** @description Totals for the club's dashboard (decision B-5). */
        ClubStats: {
            clubProfit: string;
            draws: components["schemas"]["DrawCounts"];
            /**
             * @description The draws with paid tickets that have no buyer. Their counts and prizes differ from those of
             *     the public draw.
             */
            drawsWithoutBuyers: components["schemas"]["DrawWithoutBuyers"][];
            feesEstimated: boolean;
            ticketsSold: number;
            /** @description Paid tickets whose buyer left no e-mail address. They do not count as sold (decision F-3). */
            ticketsWithoutBuyer: number;
            totalRevenue: string;
        };
        /** @description A club in the public list. */
        ClubSummary: {
            id: number;
            logoUrl: string | null;
            name: string;
            primaryColor: string;
            slug: string;
        };
        /** @description Something that the club has to do. */
        ClubTask: {
            draw: components["schemas"]["ClubTaskDraw"] | null;
            /**
             * @description `enter-result`, `notify-winner`, `remind-winner` (did not answer in time), `pay-winner`,
             *     `connect-stripe` or `confirm-email`.
             */
            kind: string;
            /** @description Since when the task waits. */
            since: string;
        };
        /** @description The draw that a task is about. */
        ClubTaskDraw: {
            awayTeam: string;
            drawNumber: number;
            homeTeam: string;
            prize: string;
            /** @description Null before the winner is known, and for viewers, who see no names. */
            winnerName: string | null;
        };
        /** @description A person who may sign in for the club (decision G-17). */
        ClubUser: {
            email: string;
            /** @description Id of the user; 0 for the club's own login. */
            id: number;
            invitedAt: string | null;
            /** @description When the user's invitation expires. */
            invitedUntil: string | null;
            /** @description Whether this is the club's own login, an owner that cannot be changed or removed. */
            isClubLogin: boolean;
            /** @description Time of the user's last request with a session. */
            lastSeenAt: string | null;
            name: string;
            /** @description `owner`, `seller` or `viewer`. */
            role: string;
            /** @description `active`, `invited`, or `expired` when the invitation was not accepted in time. */
            state: string;
        };
        /** @description The form for inviting or changing a user. */
        ClubUserForm: {
            /** @default null */
            email: string | null;
            /** @default null */
            name: string | null;
            /**
             * @description `owner`, `seller` or `viewer`.
             * @default null
             */
            role: string | null;
        };
        /** @description The configuration in effect, read only (decision B-18). */
        Configuration: {
            cardFeeBps: number;
            cardFeeFixedCents: number;
            country: string;
            currency: string;
            extensionSeconds: number;
            extensionsMax: number;
            feeCapCents: number;
            feePassthroughAllowed: boolean;
            feeRateBps: number;
            intentsPerAddressPerMinute: number;
            intentsPerSessionPerMinute: number;
            maxPerPurchase: number;
            releaseAfterSeconds: number;
            reservationSeconds: number;
            sessionIdleSeconds: components["schemas"]["SessionIdle"];
            /**
             * @description How the card fee of a cart is passed on: once per line (`per_line`) or once per payment
             *     (`per_charge`).
             */
            surchargeMode: string;
            termsVersion: string;
            ticketsPerDraw: number;
            timezone: string;
            versions: components["schemas"]["Versions"];
        };
        /** @description The status of a club's Stripe account, as Stripe last reported it (decision B-13). */
        ConnectStatus: {
            accountId: string | null;
            chargesEnabled: boolean;
            connected: boolean;
            detailsSubmitted: boolean;
            payoutsEnabled: boolean;
        };
        /** @description A club with its account status and totals. */
        ConsoleClub: {
            activeDraws: number;
            archived: boolean;
            archivedAt: string | null;
            chargesEnabled: boolean;
            completedDraws: number;
            createdAt: string;
            detailsSubmitted: boolean;
            email: string;
            homePageSlug: string;
            id: number;
            location: string | null;
            name: string;
            payoutsEnabled: boolean;
            phone: string | null;
            revenue: string;
            stripeConnectAccountId: string | null;
            stripeConnectOnboardingComplete: boolean;
            ticketsSold: number;
            totalDraws: number;
            /**
             * @description Whether wallet buttons appear for payments to this club: `active`, `inactive` or `failed`.
             *     Null while this is not checked, for example on a test host.
             */
            walletDomain: string | null;
            /** @description Why no wallet button appears. */
            walletDomainProblem: string | null;
        };
        /** @description A draw with its totals. */
        ConsoleDraw: components["schemas"]["Draw"] & {
            createdAt: string | null;
            /** @description Whether this is a test draw: its league's name contains "test" (decision E-15). */
            isTest: boolean;
            orders: number;
            /** @description Number of paid tickets without a contact address. */
            orphanedTickets: number;
            payoutStatus: string | null;
            platformFee: string;
            revenue: string;
            winnersNotified: boolean;
        };
        /** @description Overall health of the service, and the result of each check. */
        ConsoleHealth: {
            buildVersion: string;
            checkedAt: string;
            checks: components["schemas"]["Checks"];
            startedAt: string;
            /** @description `ok`, `degraded` or `down`. */
            status: string;
        };
        /** @description The tickets of one draw in an order. */
        ConsoleLine: {
            awayTeam: string;
            drawNumber: number;
            drawStatus: string;
            homeTeam: string;
            ticketCount: number;
            ticketPrice: string;
            /**
             * @description Tickets without their number pairs, because only the buyer may read the pairs before the
             *     reveal.
             */
            tickets: components["schemas"]["ConsoleTicket"][];
        };
        /** @description An order with all details, for the operator. */
        ConsoleOrder: {
            allocatedAt: string | null;
            authorisedAt: string | null;
            /** @description What the buyer's bank said about the payment, newest first. */
            bankNotices: components["schemas"]["BankNotice"][];
            buyerEmail: string | null;
            buyerName: string | null;
            buyerPhone: string | null;
            capturedAt: string | null;
            cardFee: string;
            clubName: string | null;
            consented: boolean;
            createdAt: string;
            /** @description When the order was released or became void. */
            endedAt: string | null;
            /** @description Why the order ended. */
            endReason: string | null;
            id: string;
            lines: components["schemas"]["ConsoleLine"][];
            /** @description The mails about the order, oldest first. */
            mails: components["schemas"]["OrderMail"][];
            paymentIntentId: string | null;
            paymentMethod: string | null;
            platformFee: string;
            refund: components["schemas"]["ConsoleRefund"] | null;
            refundable: boolean;
            state: string;
            /** @description Stripe's fee; null while Stripe has not reported it. */
            stripeFee: string | null;
            subtotal: string;
            total: string;
            whyNot: string | null;
        };
        /** @description The refund of an order. */
        ConsoleRefund: {
            amount: string;
            createdAt: string | null;
            /** @description Why the refund is not complete, or why it failed; null for a refund that succeeded. */
            detail: string | null;
            feeReturned: string;
            reason: string;
            /** @description State of the refund: `pending`, `succeeded` or `failed`. */
            state: string;
        };
        /** @description A ticket of an order. */
        ConsoleTicket: {
            /** @description Serial number of the ticket: `FD-1042-007`. */
            serialNumber: string;
            ticketNumber: number;
        };
        /** @description Whether the database answers. */
        DatabaseCheck: {
            latencyMs: number;
            ok: boolean;
        };
        /** @description A diagnostic message of a browser. */
        Diagnostics: {
            /** @description Additional data, logged as one line of text without personal data. */
            data?: Record<string, never> | null;
            /** @default null */
            level: string | null;
            /** @default null */
            message: string | null;
            /**
             * @description The call of Stripe.js that threw an exception: `elements`, `element`, `submit`, `confirm`,
             *     `confirmation_token` or `next_action`.
             * @default null
             */
            stripeJsStep: string | null;
        };
        /** @description A draw, in lists and on its page. `id` and `drawNumber` are the same number (decision A-1). */
        Draw: {
            archived: boolean;
            awayFirstTryScorer: number | null;
            awayTeam: string;
            clubAccentColor: string;
            clubId: number;
            clubLogoUrl: string | null;
            clubName: string;
            clubPrimaryColor: string;
            /**
             * @description Whether the club may start new payments (decisions B-13, H-3). A running payment still
             *     completes. Public lists of draws omit it.
             */
            clubSelling?: boolean;
            clubSlug: string;
            /** @description SHA-256 of the deal's seed, in hexadecimal (decision K-1). */
            commitment: string;
            /**
             * @description The club's Stripe account, which Stripe.js needs (decision C-24). Public lists of draws omit
             *     it.
             */
            connectedAccountId?: string;
            /** @description The contact for buyers (decision E-18). Public lists of draws omit it. */
            contactName?: string;
            contactPhone?: string;
            currentPrize: string;
            drawNumber: number;
            /** @description Kick-off, RFC 3339 in UTC. */
            gameDate: string;
            /** @description Time of kick-off in the draw's time zone, `19:10:00`. */
            gameTime: string;
            homeFirstTryScorer: number | null;
            homeTeam: string;
            id: number;
            league: string | null;
            maxPrize: string;
            opensAt: string | null;
            passStripeFees: boolean;
            prizePercentage: number;
            revision: number;
            roundUpPrize: boolean;
            /** @description Serial number of the draw, such as `FD-1042` (decision E-19). */
            serialNumber: string;
            /**
             * @description `active`, `closed`, `completed` or `cancelled`. An active draw after kick-off is shown as
             *     closed (decision E-2).
             */
            status: string;
            /** @description Ticket price in dollars, `5.00` (decision D-16). */
            ticketPrice: string;
            ticketsAvailable: number;
            ticketsHeld: number;
            ticketsSold: number;
            /** @description IANA name of the draw's time zone. */
            timezone: string;
            /**
             * @description Serial number of the winning ticket, such as `FD-1042-007`. Null before completion and
             *     kick-off, because with the result it discloses the ticket's number pair (decision E-6).
             */
            winningTicketSerial: string | null;
            winningTicketSold: boolean | null;
        };
        /** @description Numbers of a club's draws by status. */
        DrawCounts: {
            active: number;
            awaiting: number;
            completed: number;
        };
        /** @description The fees of one draw. */
        DrawFees: {
            awayTeam: string;
            /** @description Whether the draw's platform fee has reached its cap. */
            capped: boolean;
            clubName: string;
            drawNumber: number;
            gameDate: string;
            homeTeam: string;
            platformFee: string;
            revenue: string;
            serialNumber: string;
            status: string;
            ticketsSold: number;
            /** @description The time zone of the draw's kick-off. */
            timezone: string;
        };
        /**
         * @description The form of a draw. Creating checks that the required fields are present; editing accepts any
         *     subset.
         */
        DrawForm: {
            /** @default null */
            awayTeam: string | null;
            /** @default null */
            clubId: number | null;
            /** @default null */
            contactName: string | null;
            /** @default null */
            contactPhone: string | null;
            /**
             * @description Kick-off: `2026-11-27` (with `gameTime`), `2026-11-27T19:10` in `timezone`, or an RFC 3339
             *     time with offset.
             * @default null
             */
            gameDate: string | null;
            /**
             * @description Time of kick-off, `19:10` or `19:10:00`; 15:00:00 if a new draw has none.
             * @default null
             */
            gameTime: string | null;
            /** @default null */
            homeTeam: string | null;
            /**
             * @description Name of the league; `null` removes it.
             * @default null
             */
            league: string | null;
            /** @default null */
            passStripeFees: boolean | null;
            /** @default null */
            prizePercentage: number | null;
            /**
             * @description The operator's reason for editing a club's draw (decision E-9). Clubs need no reason.
             * @default null
             */
            reason: string | null;
            /** @default null */
            roundUpPrize: boolean | null;
            /**
             * @description When sales open. A new draw without this field is on sale at once (decision E-20).
             * @default null
             */
            salesOpenAt: string | null;
            /**
             * @description Ticket price in dollars, as a number or as text.
             * @default null
             */
            ticketPrice: string | null;
            /**
             * @description IANA name of the time zone; Australia/Brisbane if a new draw has none.
             * @default null
             */
            timezone: string | null;
        };
        /** @description The fields of a draw that change with sales, sent over the WebSocket. */
        DrawNow: {
            awayFirstTryScorer: number | null;
            currentPrize: string;
            drawNumber: number;
            gameDate: string;
            homeFirstTryScorer: number | null;
            maxPrize: string;
            prizePoolCents: number;
            status: string;
            ticketsAvailable: number;
            ticketsHeld: number;
            ticketsSold: number;
            winningTicketSerial: string | null;
            winningTicketSold: boolean | null;
        };
        /** @description The sales of a draw compared with the club's last game. */
        DrawPace: {
            drawNumber: number;
            lastAwayTeam: string;
            /** @description The club's last game. */
            lastDrawNumber: number;
            lastHomeTeam: string;
            /**
             * @description Tickets that the last game had sold as long before its kick-off as it is now before the
             *     kick-off of this draw.
             */
            lastSold: number;
        };
        /** @description Data for the `<head>` of a draw's page. */
        DrawPageMetadata: {
            description: string;
            drawNumber: number;
            imageUrl: string | null;
            title: string;
            url: string;
        };
        /** @description The sales of a draw, and of the club's game before it. */
        DrawSales: {
            last: components["schemas"]["SalesCurve"] | null;
            this: components["schemas"]["SalesCurve"];
        };
        /** @description The response to closing expired draws. */
        DrawsClosed: {
            closed: number;
            message: string;
        };
        /** @description The form values for the action "Duplicate last draw". */
        DrawTemplate: {
            awayTeam: string;
            contactName: string | null;
            contactPhone: string | null;
            /**
             * @description Suggested kick-off in local time, `2026-11-27T19:10`: the last draw's, moved by whole weeks
             *     into the future.
             */
            gameDate: string;
            homeTeam: string;
            league: string | null;
            passStripeFees: boolean;
            prizePercentage: number;
            roundUpPrize: boolean;
            ticketPrice: string;
            timezone: string;
        };
        /** @description A draw with paid tickets whose buyer left no e-mail address. */
        DrawWithoutBuyers: {
            drawNumber: number;
            /** @description The prize that counts only tickets with a buyer; the announced prize after the result. */
            prize: string;
            ticketsWithoutBuyer: number;
        };
        /** @description The response to confirming an e-mail address. */
        EmailVerified: {
            verified: boolean;
        };
        /** @description The secret for an authenticator app. */
        Enrolment: {
            qrDataUrl: string;
            /** @description The secret in Base32. */
            secret: string;
            /** @description The secret as URI for a QR code, `otpauth://totp/…` */
            uri: string;
        };
        /** @description The jersey numbers of the first try scorers, 1 to 13; 9 when a team did not score. */
        EnterResult: {
            awayFirstTryScorer?: number | null;
            homeFirstTryScorer?: number | null;
        };
        /** @description What a buyer tried to buy with a failed payment. */
        FailedMetadata: {
            drawId: string;
            paymentMethod: string | null;
            ticketCount: string;
        };
        /** @description A failed payment. */
        FailedPayment: {
            amount: number;
            /** @description Time of creation, in Unix seconds. */
            created: number;
            metadata: components["schemas"]["FailedMetadata"];
            paymentIntentId: string;
            status: string;
        };
        /** @description The platform fee as one source of the specification states it. The sources disagree. */
        FeeReading: {
            capCents: number;
            rateBps: number | null;
            source: string;
        };
        /** @description A draw's financials. */
        Financials: {
            /** @description Stripe's fees; estimated while a balance transaction is missing (decision D-18). */
            actualStripeFees: string;
            actualTransactionCount: number;
            cardFeesPaidByBuyers: string;
            clubProfit: string;
            /** @description Revenue minus the platform fee and the card fees that the club pays. */
            clubRevenue: string;
            feesEstimated: boolean;
            platformFee: string;
            /**
             * @description Whether the prize reduces the club's profit: the winning ticket was sold, or is not revealed
             *     yet (decisions D-12, E-6).
             */
            prizeDue: boolean;
            prizePool: string;
            soldTickets: number;
            /** @description Paid tickets whose buyer left no e-mail address. They do not count as sold (decision F-3). */
            ticketsWithoutBuyer: number;
            totalRevenue: string;
        };
        /** @description The result of an import, or of a dry run. */
        FixtureImportResult: {
            alreadyThere: number;
            created: number;
            drawNumbers: number[];
            dryRun: boolean;
            found: number;
            /** @description The lines that cannot be read. Their games are not imported. */
            problems: components["schemas"]["FixtureProblem"][];
            /** @description Every readable game of the uploaded fixtures table, new or already imported. */
            rows: components["schemas"]["FixtureRow"][];
        };
        /** @description A line of the fixtures table that cannot be read. */
        FixtureProblem: {
            /** @description Line number in the file. The heading is line 1. */
            line: number;
            message: string;
        };
        /** @description One game of the uploaded fixtures table. */
        FixtureRow: {
            alreadyThere: boolean;
            awayTeam: string;
            gameDate: string;
            gameTime: string;
            homeTeam: string;
            league: string | null;
            line: number;
            timezone: string;
        };
        /** @description A link in a footer menu. */
        FooterItem: {
            displayOrder: number;
            id: number;
            isVisible: boolean;
            label: string;
            menuId: number;
            url: string;
        };
        /** @description The form of a footer item. */
        FooterItemForm: {
            /** @default null */
            displayOrder: number | null;
            /** @default null */
            isVisible: boolean | null;
            /** @default null */
            label: string | null;
            /** @default null */
            menuId: number | null;
            /** @default null */
            url: string | null;
        };
        /** @description A menu of the footer. */
        FooterMenu: {
            displayOrder: number;
            heading: string;
            id: number;
            isVisible: boolean;
            items: components["schemas"]["FooterItem"][];
        };
        /** @description The form of a footer menu. */
        FooterMenuForm: {
            /** @default null */
            displayOrder: number | null;
            /** @default null */
            heading: string | null;
            /** @default null */
            isVisible: boolean | null;
        };
        /** @description A request for a password reset link. */
        ForgottenPassword: {
            /** @default null */
            email: string | null;
        };
        /** @description The form of a club's home page. Absent fields stay unchanged. */
        HomePageForm: {
            accentColor?: string | null;
            /** @description Facebook pixel id: empty, or 5 to 20 digits. */
            facebookPixelId?: string | null;
            /** @description The goal in cents, or in dollars with a decimal point. */
            goalAmount?: string | null;
            /** @description What the club raises money for: empty, or 3 to 80 characters, with `goalAmount`. */
            goalText?: string | null;
            homePageEnabled?: boolean | null;
            homePageSlug?: string | null;
            homePageTagline?: string | null;
            homePageTitle?: string | null;
            /** @description The logo: empty, a URL, or a picture as `data:image/…;base64,…`. */
            logoUrl?: string | null;
            /** @description The photo: empty, an uploaded picture's path, or a JPG picture as `data:image/…;base64,…`. */
            photoUrl?: string | null;
            primaryColor?: string | null;
            secondaryColor?: string | null;
            /**
             * @description The sponsor's logo: empty, an uploaded picture's path, or a picture as
             *     `data:image/…;base64,…`.
             */
            sponsorLogoUrl?: string | null;
            /** @description The sponsor: empty, or 2 to 40 characters. */
            sponsorName?: string | null;
        };
        /** @description A share image to delete. */
        ImageRemoval: {
            /**
             * @description Slug of the offer whose picture is removed. The file stays while another offer uses it.
             * @default null
             */
            bundleSlug: string | null;
            /** @default null */
            clubSlug: string | null;
            /** @default null */
            url: string | null;
        };
        /**
         * @description A share image to upload. A file name in the body is ignored: the server chooses the name under
         *     which the image is stored (decision G-8).
         */
        ImageUpload: {
            /** @default null */
            clubSlug: string | null;
            /**
             * @description The image in base64, with or without a `data:` prefix.
             * @default null
             */
            data: string | null;
        };
        /** @description Reservations and payments in progress. */
        InFlight: {
            paymentsInFlight: number;
            reservations: number;
            ticketsHeld: number;
        };
        /**
         * @description Failed payments of the last 30 days. Amounts are cents. `failedPayments` lists only the newest
         *     ones; the other fields count all.
         */
        IntegrityAudit: {
            affectedCustomers: number;
            checkedAt: string;
            failedCount: number;
            failedPayments: components["schemas"]["FailedPayment"][];
            totalFailedAmount: number;
        };
        /** @description Whether all invariants hold. */
        IntegrityCheck: {
            ok: boolean;
            /** @description Number of violating rows by invariant. */
            violations: {
                [key: string]: number;
            };
        };
        /** @description Response body of the integrity check. */
        IntegrityReport: {
            healthy: boolean;
            /** @description Number of violating rows by invariant. */
            violations: {
                [key: string]: number;
            };
        };
        /** @description Response body of the liveness check. */
        Liveness: {
            /** @description Always `live`. */
            status: string;
        };
        /** @description The sign-in form. */
        Login: {
            email?: string;
            password?: string;
            /** @description Whether a club stays signed in for 30 days. Ignored for an operator. */
            staySignedIn?: boolean;
        };
        /** @description Whether mails are sent in time. */
        MailCheck: {
            dead: number;
            lastSentAt: string | null;
            ok: boolean;
            pending: number;
        };
        /** @description The secret of a mailed link. */
        MailedSecret: {
            /** @default null */
            token: string | null;
        };
        /** @description The state of maintenance mode. */
        Maintenance: {
            maintenanceMode: boolean;
            updatedAt: string;
            updatedBy: string | null;
        };
        /**
         * @description The body of a maintenance switch. `updatedBy` is ignored: the operator's name is taken from the
         *     session (decision G-7).
         */
        MaintenanceForm: {
            /** @default null */
            enabled: boolean | null;
        };
        /** @description Whether maintenance mode is on. */
        MaintenanceMode: {
            maintenanceMode: boolean;
        };
        /** @description Bank details as they are shown: the name, and the last digits of the numbers. */
        MaskedBankDetails: {
            accountName: string;
            /** @description Masked account number: `••••321`. */
            accountNumber: string;
            /** @description Masked bank branch code (BSB): `•••-•21`. */
            bsb: string;
            /** @description Who entered the details: `winner` or `club`. */
            from: string;
            pendingApproval: components["schemas"]["PendingApproval"] | null;
            receivedAt: string;
        };
        /** @description A response that contains only a sentence for the user. */
        Message: {
            message: string;
        };
        /** @description The customer who gets the tickets of a payment without tickets. */
        MissingTicket: {
            /** @default null */
            customerEmail: string | null;
            /** @default null */
            customerName: string | null;
            /** @default null */
            customerPhone: string | null;
            /**
             * @description Number of the draw whose tickets are allocated. Given together with `ticketCount` for a
             *     payment that matches no order (decision M-9).
             * @default null
             */
            drawNumber: number | null;
            /** @default null */
            paymentIntentId: string | null;
            /**
             * @description Number of tickets to allocate, 1 to 50.
             * @default null
             */
            ticketCount: number | null;
        };
        /** @description The tickets that were allocated for a payment that had none. */
        MissingTicketResolved: {
            allocatedTickets: components["schemas"]["AllocatedTicket"][];
            customerName: string;
        };
        /** @description All orders of an e-mail address. */
        MyTickets: {
            /** @description Masked e-mail address: `j…@example.com`. */
            emailMasked: string;
            /** @description The orders, newest first, at most 100. */
            orders: components["schemas"]["Order"][];
            /** @description When the mailed link to these orders expires. */
            until: string;
        };
        /** @description A new password, with the secret of the mailed link. */
        NewPassword: {
            /** @default null */
            newPassword: string | null;
            /** @default null */
            token: string | null;
        };
        /** @description The body that notifies the winner. */
        NotifyWinner: {
            /**
             * @description Whether to send another mail with a new link when the winner was notified before.
             * @default false
             */
            again: boolean;
        };
        /** @description The form of an offer. */
        OfferForm: {
            /** @default null */
            displayTag: string | null;
            /** @default null */
            endAt: string | null;
            /** @default [] */
            gameIds: number[];
            /** @default null */
            name: string | null;
            /** @default null */
            primaryCopy: string | null;
            /** @default null */
            shareImageUrl: string | null;
            /** @default null */
            slug: string | null;
            /** @default null */
            startAt: string | null;
            /**
             * @description Status of the offer: `draft` or `active`.
             * @default null
             */
            status: string | null;
            /**
             * @description Type of the offer: `BUNDLE` or `SPECIAL`.
             * @default null
             */
            type: string | null;
        };
        /** @description A link to Stripe's onboarding. */
        OnboardingLink: {
            /** @description URL at Stripe, which can be used once. */
            onboardingUrl: string;
        };
        /** @description The tickets of one draw in an opened payment. */
        OpenedItem: {
            cardFee: string;
            drawId: number;
            drawNumber: number;
            quantity: number;
            ticketPrice: string;
        };
        /** @description The response to opening a payment. */
        OpenedPayment: {
            /** @description Amount in cents. */
            amount: number;
            /** @description The payment intent's client secret. Only the browser that opened the order receives it. */
            clientSecret: string;
            connectedAccountId: string;
            /** @description The end of the reservation that is shown to the buyer. */
            expiresAt: string;
            items?: components["schemas"]["OpenedItem"][];
            orderToken: string;
            paymentIntentId: string;
            /** @description Equal to the order's id. */
            reservationId: string;
            serverTime: string;
            ticketCount: number;
        };
        /** @description The console's WebSocket frame: badge counts, and which lists to reload. */
        OpsNow: {
            anomalies: components["schemas"]["AnomalyStats"];
            health: string;
            maintenanceMode: boolean;
            orphanedTickets: number;
            revisions: components["schemas"]["Revisions"];
            waitlist: number;
        };
        /** @description An order with its tickets. */
        Order: {
            /** @description Amount in cents. */
            amount: number;
            /** @description Masked e-mail address: `j…@example.com`. */
            buyerEmailMasked: string | null;
            buyerName: string | null;
            cardFee: string;
            clubName: string;
            clubSlug: string;
            lines: components["schemas"]["OrderLine"][];
            orderToken: string;
            paymentIntentId: string | null;
            purchasedAt: string | null;
            /** @description Why the order was not charged, or why it is refunded. */
            reason: string | null;
            refund: components["schemas"]["Refund"] | null;
            /** @description `quoted`, `allocated`, `captured`, `rejecting`, `released`, `void` or `anomaly`. */
            state: string;
            /** @description The order's state as one of the `status` values of purchase calls. */
            status: string;
            subtotal: string;
        };
        /** @description The tickets of one draw in an order. */
        OrderLine: {
            awayTeam: string;
            currentPrize: string;
            drawNumber: number;
            gameDate: string;
            homeTeam: string;
            league: string | null;
            status: string;
            ticketCount: number;
            ticketPrice: string;
            tickets: components["schemas"]["OrderTicket"][];
            ticketsSold: number;
            timezone: string;
        };
        /** @description A mail about an order. */
        OrderMail: {
            /** @description Kind of the mail, such as `tickets` or `refunded`. */
            kind: string;
            queuedAt: string;
            sentAt: string | null;
            /** @description State of the mail: `pending`, `sent` or `dead`. */
            state: string;
            /** @description Address of the recipient; null while the buyer left none. */
            to: string | null;
        };
        /** @description The response to a refund. */
        OrderRefunded: {
            amount: string;
            feeReturned: string;
            orderId: string;
            state: string;
            ticketsVoided: string[];
        };
        /** @description Whether the buyer of an order is reminded by mail. */
        OrderReminder: {
            /**
             * @description Whether the order can be reminded of: it is paid, it has an e-mail address, and one of its
             *     games has no result yet.
             */
            possible: boolean;
            wanted: boolean;
        };
        /** @description A change of a buyer's reminder. */
        OrderReminderForm: {
            /** @default null */
            wanted: boolean | null;
        };
        /** @description A ticket with its number pair, which its buyer reads before the reveal (decision F-4). */
        OrderTicket: {
            awayNumber: number;
            homeNumber: number;
            /** @description Null until the draw is completed. */
            isWinner: boolean | null;
            serialNumber: string;
            ticketNumber: number;
        };
        /** @description A paid ticket without a contact address. */
        OrphanedTicket: {
            amount: string;
            awayNumber: number | null;
            awayTeam: string;
            clubName: string | null;
            drawNumber: number;
            drawStatus: string;
            /** @description The ticket's number for the home team; null before the reveal (decision F-1). */
            homeNumber: number | null;
            homeTeam: string;
            /** @description The ticket's serial number, `FD-1042-007`. */
            id: string;
            isWinner: boolean | null;
            orderId: string;
            paymentIntentId: string | null;
            purchaseDate: string;
            revealed: boolean;
            serialNumber: string;
            ticketNumber: number;
        };
        /** @description A club with its private fields, for the club itself and the operator. */
        OwnClub: components["schemas"]["Club"] & {
            archived: boolean;
            email: string;
            emailVerified: boolean;
            /**
             * @description Whether a page title was ever saved. Before that, the dashboard shows that the page is not
             *     set up (decision H-2).
             */
            homePageReady: boolean;
            /** @description The current version of the terms of service. */
            latestTermsVersion: string;
            location: string | null;
            phone: string | null;
            stripeConnectAccountId: string | null;
            /** @description Whether the Stripe account is connected, so that the club may sell (decision B-13). */
            stripeConnectOnboardingComplete: boolean;
        };
        /** @description A draw with its private fields, for its own club. */
        OwnDraw: components["schemas"]["Draw"] & {
            /** @description Whether the club may edit the draw: it is active and before kick-off. */
            editable: boolean;
            /** @description Whether price and prize are fixed, because tickets are sold. */
            locked: boolean;
            notEditableReason: string | null;
            ownedByCaller: boolean;
        };
        /** @description A game of an offer, for the offer's own club. */
        OwnGame: {
            awayTeam: string;
            drawNumber: number;
            gameDate: string;
            homeTeam: string;
            id: number;
            passStripeFees: boolean;
            status: string;
            ticketPrice: string;
            timezone: string;
        };
        /** @description An offer with its private fields, for its own club. */
        OwnOffer: {
            clubId: number;
            clubSlug: string;
            createdAt: string;
            displayTag: string | null;
            editable: boolean;
            endAt: string | null;
            gameIds: number[];
            games: components["schemas"]["OwnGame"][];
            id: number;
            name: string;
            primaryCopy: string | null;
            shareImageUrl: string | null;
            slug: string;
            startAt: string | null;
            /**
             * @description `draft`, `active`, `locked` (has sales), `closed` (a game has begun) or `archived` (decision
             *     H-4).
             */
            status: string;
            /** @description How often the offer was sold. */
            ticketsSold: number;
            type: string;
            updatedAt: string;
        };
        /** @description Paid tickets of one draw. */
        PaidLine: {
            drawNumber: number;
            ticketCount: number;
        };
        /** @description The tickets that a payment was made for, as its order or its Stripe metadata tells. */
        PaidTickets: {
            lines: components["schemas"]["PaidLine"][];
            /** @description Id of the payment's order; `null` when no order matches. */
            orderId: string | null;
        };
        /** @description The password that a signed-in user enters again. */
        PasswordProof: {
            /** @default null */
            password: string | null;
        };
        /** @description A recorded payout. */
        Payout: {
            amount: string;
            clubId: number;
            completedAt: string | null;
            createdAt: string;
            drawId: number;
            failureReason: string | null;
            id: number;
            note: string | null;
            recipientEmail: string | null;
            recipientName: string | null;
            status: string;
            /** @description Who is paid: `club_share` or `winner`. */
            type: string;
            /** @description Until when a completed payout to a winner can be set back to pending. */
            undoUntil: string | null;
        };
        /**
         * @description Proposed bank details, masked. They replace the winner's details when a second person of the
         *     club enters the same details.
         */
        PendingApproval: {
            accountName: string;
            accountNumber: string;
            bsb: string;
            expiresAt: string;
            /** @description Whether the caller proposed the details, so that another person has to approve them. */
            isOwn: boolean;
        };
        /** @description The fee report of a period. */
        PlatformFees: {
            /** @description The revenue of a draw, in cents, at which its platform fee reaches the cap. */
            capReachedAtCents: number;
            clubRevenue: string;
            draws: components["schemas"]["DrawFees"][];
            feeCapCents: number;
            feeRateBps: number;
            /** @description First day of the period in Brisbane time, if a period was requested. */
            from: string | null;
            platformFees: string;
            prizeMoney: string;
            readings: components["schemas"]["FeeReading"][];
            stripeFees: string;
            to: string | null;
            totalRevenue: string;
        };
        /**
         * @description A CSP violation report as older browsers send it. Newer browsers send a list with other field
         *     names.
         */
        PolicyReport: {
            "csp-report"?: Record<string, never> | null;
        };
        /**
         * @description The body of an error response. Fields other than `message`, `code` and `requestId` depend on
         *     `code`. This type only documents
         *     the body, which the HTTP middleware serialises.
         */
        ProblemBody: {
            /** @description With the code `amount-changed`: the current amount, in cents. */
            amount?: number;
            /** @description With the code `tickets-unavailable`: number of tickets left. */
            available?: number;
            /** @description A machine-readable code, such as `tickets-unavailable`. */
            code: string;
            drawNumber?: number;
            /** @description With the code `declined`: the payment provider's error code. */
            errorCode?: string;
            /**
             * @description With the codes `invalid` and `fixtures-refused`: all errors of the form or of the fixtures
             *     table, in order.
             */
            errors?: unknown[];
            /** @description With the code `declined`: always `card_error`. */
            errorType?: string;
            /** @description A sentence for the user. */
            message: string;
            needs?: string;
            orderId?: string;
            /**
             * @description With `draw-full` and similar codes for a payment without tickets: whether the payment can be
             *     refunded. `orderId` is the payment's order.
             */
            refundable?: boolean;
            /** @description The id of the request in the logs. */
            requestId: string;
            /**
             * @description With the code `role-not-allowed`: the caller's role, `viewer`, `seller` or `owner`. `needs`
             *     is the role that the call needs.
             */
            role?: string;
            /** @description With the code `setup-required`: the club's Stripe account is not ready. */
            setupRequired?: boolean;
            status?: string;
            /**
             * @description With the codes `declined`, `not-charged` and `refunding`: always false. `status` tells how
             *     the payment ended.
             */
            success?: boolean;
        };
        /** @description The data with which anyone can verify that the tickets of one draw were dealt fairly. */
        Proof: {
            algorithm: string;
            /**
             * @description `SHA-256("football-doubles-v1" ‖ draw number ‖ seed)` in hexadecimal, published when the
             *     draw is created.
             */
            commitment: string;
            drawNumber: number;
            result: components["schemas"]["ProofResult"] | null;
            revealed: boolean;
            /**
             * @description The deal's seed: 32 bytes in hexadecimal. Null until the draw is completed and kick-off is
             *     past (decision E-6).
             */
            seed: string | null;
            soldTickets: number[];
            /**
             * @description All sales and returns of tickets in their sequence. Null while the seed is.
             *
             *     Never-sold tickets are sold first, then returned ones, each by ascending number (decision
             *     M-3). Also null for a draw that resold tickets before decision M-3 applied.
             */
            ticketMoves: components["schemas"]["TicketMove"][] | null;
            /**
             * @description Ticket number of the winning ticket. Null while the seed is, because with the result this
             *     number discloses the ticket's number pair.
             */
            winningTicket: number | null;
        };
        /** @description The winning number pair. */
        ProofResult: {
            away: number;
            home: number;
        };
        /** @description Whether the payment provider answers. */
        ProviderCheck: {
            lastAnswerAt: string | null;
            lastFailureAt: string | null;
            ok: boolean;
        };
        /**
         * @description A payment of the last 30 days. Amounts are dollars, except `amount`, `stripeFee` and fields that
         *     end in `Cents`.
         */
        ProviderTransaction: {
            /** @description Amount in cents. */
            amount: number;
            awayTeam: string;
            clubId: number;
            clubName: string | null;
            clubPayout: string;
            clubPayoutCents: number;
            /** @description Time of creation, in Unix seconds. */
            created: number;
            createdAt: string;
            customerCharged: string;
            customerEmail: string | null;
            customerName: string | null;
            disputed: boolean;
            drawId: number;
            drawNumbers: number[];
            feesEstimated: boolean;
            homeTeam: string;
            lines: components["schemas"]["TransactionLine"][];
            orderId: string;
            paymentIntentId: string;
            /** @description `card`, `apple_pay`, `google_pay` or `link`; null while Stripe has not reported it. */
            paymentMethod: string | null;
            platformFee: string;
            platformFeeCents: number;
            /** @description Always `0.00`, as specified (decision D-13). */
            prizePool: string;
            refunded: string;
            /** @description Why a refund waits or failed, and what the club or the operator can do; null otherwise. */
            refundNote: string | null;
            refundState: string | null;
            status: string;
            /** @description Stripe's fee in cents. */
            stripeFee: number;
            stripeFees: string;
            stripeUrl: string | null;
            ticketCount: number;
            ticketPrice: string;
        };
        /** @description The public configuration. */
        PublicConfig: {
            buildVersion: string;
            currency: string;
            /** @description Whether the server is a demo: cards are simulated, and mails are shown on a mailbox page. */
            demo: boolean;
            feeCapCents: number;
            /** @description Whether clubs may pass the card fee on to buyers (decision D-14). */
            feePassthroughAllowed: boolean;
            feeRateBps: number;
            maxPerPurchase: number;
            publishableKey: string;
            /** @description The address of the source code, which the AGPL requires to offer. */
            sourceUrl: string | null;
            stripeJs: string;
            supportEmail: string;
            supportSms: string;
            /**
             * @description How the card fee of a cart is passed on: once per line (`per_line`) or once per payment
             *     (`per_charge`), decision D-6.
             */
            surchargeMode: string;
            /** @description The current version of the terms of service for clubs. */
            termsVersion: string;
        };
        /** @description The contents of a frame of the topic `public`. */
        PublicNow: {
            buildVersion: string;
            maintenanceMode: boolean;
        };
        /** @description A public offer. The club's editor reads `OwnOffer` instead. */
        PublicOffer: {
            available: number;
            /** @description The earliest kick-off of the offer's games. */
            closesAt: string | null;
            clubId: number;
            clubName: string;
            clubSlug: string;
            /** @description The offer's tag in full length; pages shorten it to 90 characters (decision H-12). */
            displayTag: string | null;
            drawIds: number[];
            endAt: string | null;
            games: components["schemas"]["PublicOfferGame"][];
            id: number;
            name: string;
            primaryCopy: string | null;
            sellable: boolean;
            /** @description URL of the picture that the club uploaded, else of a generated share card (decision H-11). */
            shareImageUrl: string;
            slug: string;
            startAt: string | null;
            /** @description `active`, `locked` (has sales, still on sale), `scheduled` or `closed`. */
            status: string;
            /** @description Price of one ticket of each game, in dollars. */
            totalPrice: string;
            /** @description `BUNDLE` or `SPECIAL`. */
            type: string;
            /**
             * @description Why the offer cannot be bought: `Bundle closed`, or the game that is sold out (decision
             *     H-9).
             */
            unavailableReason: string | null;
        };
        /** @description A game of an offer. */
        PublicOfferGame: {
            awayTeam: string;
            currentPrize: string;
            drawNumber: number;
            gameDate: string;
            homeTeam: string;
            id: number;
            league: string | null;
            passStripeFees: boolean;
            /** @description When sales of this game close: at kick-off, or at an earlier end of sales (decision H-6). */
            salesCloseAt: string | null;
            status: string;
            ticketPrice: string;
            ticketsAvailable: number;
            ticketsSold: number;
            timezone: string;
        };
        /**
         * @description The body of every purchase call. The card form, the wallet and the checkout page fill different
         *     fields.
         */
        Purchase: {
            ageConfirmation?: boolean | null;
            buyer?: components["schemas"]["Buyer"] | null;
            /**
             * @description The client's idempotency key of one attempt to buy. Repeated calls with this key get the
             *     same order.
             */
            clientKey?: string | null;
            clientSecret?: string | null;
            /**
             * @description Id of a Stripe confirmation token, `ctoken_…`, with which Stripe.js collects a card or
             *     wallet. Exactly one of this and `paymentMethodId` is needed.
             */
            confirmationTokenId?: string | null;
            customerInfo?: components["schemas"]["Buyer"] | null;
            drawId?: number | null;
            drawNumber?: number | null;
            /** @description The total that the buyer saw, for comparison. It never sets the price (decision C-3). */
            expectedAmount?: number | null;
            items?: components["schemas"]["CartItem"][] | null;
            orderToken?: string | null;
            paymentIntentId?: string | null;
            /** @description Id of a Stripe payment method, `pm_…`, of a client without Stripe.js. */
            paymentMethodId?: string | null;
            /** @description Id of a Stripe token, `tok_…`. Any other value is refused (decision C-6). */
            paymentToken?: string | null;
            termsAgreement?: boolean | null;
            ticketCount?: number | null;
        };
        /** @description The response of a completion call (decision C-4). */
        PurchaseResult: {
            /**
             * @description The payment intent's client secret, present when the browser must authenticate the payment
             *     (3-D Secure) and call again.
             */
            clientSecret?: string;
            message?: string;
            /** @description The order's secret token, only for the browser that opened the order. */
            orderToken: string | null;
            paymentIntentId: string | null;
            /** @description `succeeded`, `processing`, `requires_action`, `requires_payment_method` or `not_charged`. */
            status: string;
            success: boolean;
            tickets: components["schemas"]["BoughtTicket"][];
        };
        /** @description The result of checking a purchase before the payment. */
        PurchaseValidation: {
            errors: string[];
            valid: boolean;
        };
        /** @description Response body of the readiness check. */
        Readiness: {
            database: boolean;
            ready: boolean;
        };
        /**
         * @description The operator's reason for an action. For an irreversible action also the draw's number, which
         *     the operator types again as confirmation.
         */
        Reason: {
            /** @default null */
            drawNumber: number | null;
            /** @default null */
            reason: string | null;
        };
        /** @description The response after the password or code was entered again. */
        Reauthenticated: {
            reauthenticatedUntil: string;
        };
        /** @description Whether the reconciler runs in time. */
        ReconcilerCheck: {
            /** @description When the reconciler's last pass over all payments ended. */
            lastRunAt: string | null;
            ok: boolean;
        };
        /** @description The body that records a payout. */
        RecordPayout: {
            type?: string;
        };
        /** @description The ticket that the operator chose, with the buyer who was assigned to it. */
        RecoveredTicket: {
            buyerEmail: string;
            buyerName: string;
            id: string;
            serialNumber: string;
        };
        /** @description The refund of an order. */
        Refund: {
            amount: string;
            /** @description State of the refund: `pending`, `succeeded`, or `failed` when the money is not refunded. */
            state: string;
        };
        /** @description Numbers of refunds by state. */
        RefundsSoFar: {
            failed: number;
            pending: number;
            succeeded: number;
        };
        /** @description The registration form of a club. */
        Registration: {
            /** @default null */
            email: string | null;
            /** @default null */
            location: string | null;
            /** @default null */
            name: string | null;
            /** @default null */
            password: string | null;
            /** @default null */
            phone: string | null;
        };
        /** @description Whether clubs may register themselves. */
        RegistrationSwitch: {
            enabled: boolean;
        };
        /** @description The response to extending a reservation: its new end. */
        ReservationExtended: {
            expiresAt: string;
            extensionsLeft: number;
            serverTime: string;
        };
        /** @description The body that closes an anomaly. */
        Resolution: {
            /** @default null */
            note: string | null;
        };
        /** @description Who entered the current result. */
        ResultAuthor: {
            /** @description The person's name, `your club’s login` or `the platform operator`. */
            by: string;
            enteredAt: string;
        };
        /** @description The response to entering a result. */
        ResultEntered: {
            draw: components["schemas"]["Draw"];
            prize: string;
            /**
             * @description Time of kick-off, at which the winning ticket is revealed. Null once it is revealed
             *     (decision E-6).
             */
            revealedAt: string | null;
            /**
             * @description The winning ticket as a list of one, because every number pair is on exactly one ticket. Its
             *     field `sold` is false when nobody bought it (decision D-11). Empty before kick-off.
             */
            winningTickets: components["schemas"]["WinningTicket"][];
        };
        /** @description The response to undoing a result. */
        ResultUndone: {
            correctionsSent: number;
            newStatus: string;
            payoutsCleared: number;
        };
        /**
         * @description Counters of the console's lists. Each rises when its list changes, so that the console reloads
         *     the list.
         */
        Revisions: {
            anomalies: number;
            audit: number;
            clubs: number;
            draws: number;
            footer: number;
            orphans: number;
            settings: number;
            transactions: number;
            waitlist: number;
        };
        /** @description How a draw's tickets sold over time. */
        SalesCurve: {
            awayTeam: string;
            drawNumber: number;
            homeTeam: string;
            /**
             * @description Ascending in time: how many minutes before kick-off the sale was, and how many tickets were
             *     sold then.
             */
            points: components["schemas"]["SalesPoint"][];
        };
        SalesPoint: {
            /** @description Negative after kick-off. */
            minutesBeforeKickOff: number;
            sold: number;
        };
        /** @description The body that starts a scan of payments for anomalies. */
        ScanForm: {
            /** @default null */
            hoursBack: number | null;
        };
        /** @description The result of a scan of payments for anomalies. */
        ScanResult: {
            examined: number;
            healed: number;
            hoursBack: number;
            /** @description Number of anomalies that were not known before this scan (decision I-3). */
            newAnomalies: number;
        };
        /** @description A search hit and the console section that shows it. */
        SearchHit: {
            detail: string;
            id: string;
            /** @description The text to enter into the search field of the console section. */
            key: string;
            kind: string;
            /** @description The console section that shows the found object, such as `draws`. */
            section: string;
            title: string;
        };
        /**
         * @description E-mail address and second-factor code of another operator. Required to assign a buyer to a
         *     winning ticket after the reveal (decision I-8).
         */
        SecondApproval: {
            /** @default  */
            code: string;
            /** @default  */
            email: string;
        };
        /** @description A code of six digits; spaces are ignored. */
        SecondFactorCode: {
            /** @default null */
            code: string | null;
        };
        /** @description A time series for charts, as arrays of equal length. */
        Series: {
            anomalies: number[];
            /** @description Start of each step, in Unix seconds. */
            at: number[];
            payments: number[];
            revenueCents: number[];
            stepSeconds: number;
            ticketsSold: number[];
        };
        /** @description Idle timeout of sessions, in seconds. */
        SessionIdle: {
            club: number;
            operator: number;
        };
        /** @description A stored setting of the service. */
        Setting: {
            description: string | null;
            id: number;
            key: string;
            updatedAt: string;
            /** @description Who changed the setting last: `Super Admin` for an operator (decision G-7). */
            updatedBy: string | null;
            value: string;
        };
        /**
         * @description A new value for a setting. `updatedBy` is ignored, because the operator is known from the
         *     session.
         */
        SettingForm: {
            /** @default null */
            description: string | null;
            /** @default null */
            value: string | null;
        };
        /** @description The body that marks a payout as completed or failed, or sets a completed one back to pending. */
        SettlePayout: {
            note?: string | null;
            status?: string;
        };
        /** @description The slug that a club with this name would get. */
        SlugPreview: {
            slug: string;
        };
        /** @description Whether more `WebSockets` can be opened. */
        SocketsCheck: {
            ok: boolean;
            sessions: number;
        };
        /** @description A club's Stripe account (decision B-17). */
        StripeAccount: {
            accountId: string | null;
            chargesEnabled: boolean;
            clubId: number;
            clubName: string;
            detailsSubmitted: boolean;
            payoutsEnabled: boolean;
        };
        /** @description A message from the browser: topics to subscribe to or to unsubscribe from. */
        SubscriptionRequest: {
            /** @default [] */
            subscribe: string[];
            /** @default [] */
            unsubscribe: string[];
        };
        /** @description A club's agreement to the terms of service. The server records IP address and browser by itself. */
        TermsAgreementForm: {
            /** @default null */
            clubId: number | null;
            /** @default null */
            termsVersion: string | null;
        };
        /** @description A versioned legal text (decision B-15). */
        TermsText: {
            kind: string;
            /** @description SHA-256 of the text, in hexadecimal. */
            sha256: string;
            text: string;
            title: string;
            version: string;
        };
        /**
         * @description One of a draw's 169 tickets.
         *
         *     For the public, `buyerName` and `buyerEmail` are `sold` or null; pair and winner are null before
         *     the reveal (decision F-1).
         */
        Ticket: {
            awayNumber: number | null;
            buyerEmail: string | null;
            buyerName: string | null;
            buyerPhone: string | null;
            homeNumber: number | null;
            id: string;
            isWinner: boolean | null;
            orderId?: string;
            /** @description When the ticket was bought; only for the club and the operator. */
            purchaseDate?: string;
            /** @description Serial number of the ticket: `FD-1042-007`. */
            serialNumber: string;
            sold: boolean;
            stripePaymentIntentId?: string;
            ticketNumber: number;
        };
        /** @description A request to mail a link to all orders of an e-mail address. */
        TicketLinkRequest: {
            /**
             * @description The e-mail address that the tickets were bought with.
             * @default null
             */
            email: string | null;
        };
        /** @description A ticket that was sold or returned. */
        TicketMove: {
            /** @description Whether the ticket was returned, because its payment failed or was refunded. */
            returned: boolean;
            ticket: number;
        };
        /** @description The buyer to assign to tickets without buyer. Each field has two accepted names (decision I-12). */
        TicketRecoveryForm: {
            /** @default null */
            email: string | null;
            /** @default null */
            name: string | null;
            /** @default null */
            phone: string | null;
            /** @default null */
            secondApproval: components["schemas"]["SecondApproval"] | null;
        };
        /** @description The response to assigning a buyer. */
        TicketsRecovered: {
            /** @description Whether the order's confirmation mail, which waited for an e-mail address, is now queued. */
            notified: boolean;
            /** @description Number of tickets that the buyer was assigned to: all of the order. */
            recovered: number;
            ticket: components["schemas"]["RecoveredTicket"];
        };
        /** @description The outcome of sending a buyer's tickets again. */
        TicketsResent: {
            /** @description False when the mail was sent often enough within the last hour. */
            sent: boolean;
        };
        /** @description The tickets of one draw in a payment. */
        TransactionLine: {
            drawNumber: number;
            ticketCount: number;
            ticketPrice: string;
        };
        /**
         * @description Sums of the successful payments of the last 30 days, in dollars. They include payments that the
         *     list of payments omits, because that list holds only the newest `listedMax`.
         */
        TransactionSums: {
            clubPayouts: string;
            count: number;
            /** @description Whether some of Stripe's fees are still estimated. */
            feesEstimated: boolean;
            listedMax: number;
            platformFees: string;
            /** @description Always `0.00`, as specified (decision D-13). */
            prizePools: string;
            /** @description Money that went back to buyers. Charged, less fees and refunds, is the payout. */
            refunded: string;
            stripeFees: string;
            totalCharged: string;
        };
        /** @description Unmasked bank details, for paying the prize. */
        UnmaskedBankDetails: {
            accountName: string;
            accountNumber: string;
            /** @description Bank branch code (BSB): `123-456`. */
            bsb: string;
        };
        /** @description The URL of an uploaded image. */
        UploadedImage: {
            url: string;
        };
        /**
         * @description The signed-in user, for display only; the server decides about rights by the session (decision
         *     G-4).
         */
        User: {
            /**
             * @description Whether the club is archived. It may then only read, and finish its running draws (decision
             *     H-3).
             */
            archived: boolean;
            clubSlug: string | null;
            email: string;
            /**
             * @description Whether the club's e-mail address is confirmed. The dashboard shows a reminder until then
             *     (decision G-18).
             */
            emailVerified: boolean;
            /** @description The club's id, or the operator's own id. */
            id: number;
            isAdmin: boolean;
            memberEmail: string | null;
            /** @description Name of the club's user; null for the club's own login. */
            memberName: string | null;
            name: string;
            /**
             * @description The user's role: `owner`, `seller` or `viewer`. The club's own login is an owner. Null for
             *     an operator.
             */
            role: string | null;
            /** @description State of an operator's second factor: `enrol`, `required` or `done`. Null for a club. */
            secondFactor: string | null;
        };
        /** @description Versions of the server, the database and its schema. */
        Versions: {
            database: string;
            /** @description The newest migration of the database schema. */
            schema: string;
            server: string;
        };
        /** @description A club on the waitlist. */
        WaitlistEntry: {
            clubName: string;
            contactEmail: string;
            contactName: string;
            contactPhone: string;
            createdAt: string;
            id: number;
        };
        /** @description The waitlist form of a club. */
        WaitlistForm: {
            /** @default null */
            clubName: string | null;
            /** @default null */
            contactEmail: string | null;
            /** @default null */
            contactName: string | null;
            /** @default null */
            contactPhone: string | null;
        };
        /** @description The stored waitlist entry. */
        WaitlistJoined: {
            id: number;
            success: boolean;
        };
        /** @description Whether webhook events are processed in time. */
        WebhookCheck: {
            lastReceivedAt: string | null;
            ok: boolean;
            /**
             * @description Webhook events since the process started that had a valid signature but a timestamp out of
             *     range. More than zero means a wrong clock.
             */
            outOfTime: number;
            waiting: number;
        };
        /** @description The signed-in user and the state of the session. */
        Whoami: {
            clubSlug: string | null;
            /**
             * @description Until when the last proof of identity counts: an operator's second-factor code, or a club
             *     user's password.
             */
            reauthenticatedUntil: string | null;
            /** @description `super-admin` or `club-admin`. */
            role: string;
            /** @description State of an operator's second factor: `enrol`, `required` or `done`. Null for a club. */
            secondFactor: string | null;
            sessionEndsAt: string;
            user: components["schemas"]["User"];
        };
        /** @description The widget of a draw or an offer. */
        Widget: {
            closesAt: string | null;
            earliestClosesAt: string | null;
            earliestOpensAt: string | null;
            opensAt: string | null;
            prizePoolCents: number;
            purchaseUrl: string;
            /** @description The draw's status, or `scheduled` before its sales open. */
            status: string;
            ticketsCap: number;
            ticketsSold: number;
            title: string;
            type: string;
        };
        /** @description The response to notifying the winner. */
        WinnerNotified: {
            /** @description Number of mails to the winner queued or sent for this result. */
            emailsSent: number;
            totalWinners: number;
        };
        /** @description The winner, for the club's dashboard. */
        Winners: {
            entered: components["schemas"]["ResultAuthor"] | null;
            /** @description Whether the newest mail to the winner could not be delivered. */
            mailFailed: boolean;
            /** @description Whether the winner was notified of this result. */
            notified: boolean;
            /** @description When the newest mail to the winner was queued. */
            notifiedAt: string | null;
            prize: string;
            /**
             * @description Time of kick-off, at which the winning ticket is revealed. Null once it is revealed
             *     (decision E-6).
             */
            revealedAt: string | null;
            /** @description The winning ticket as a list of one. Empty before kick-off. */
            winningTickets: components["schemas"]["WinningTicket"][];
        };
        /** @description The winning ticket with its buyer, for the club. */
        WinningTicket: {
            awayNumber: number;
            bank: components["schemas"]["MaskedBankDetails"] | null;
            buyerEmail: string | null;
            buyerName: string | null;
            buyerPhone: string | null;
            /**
             * @description Whether the buyer's bank disputes the payment. No payout until that is resolved (decision
             *     C-25).
             */
            disputed: boolean;
            homeNumber: number;
            /** @description When the winner's claim link expires. Afterwards the winner can submit no bank details. */
            respondBy: string | null;
            serialNumber: string;
            sold: boolean;
            ticketNumber: number;
            /**
             * @description `pending`, `details_received` or `completed` (decision D-17); null when the ticket was not
             *     sold.
             */
            winnerPayoutStatus: string | null;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type AcceptedTerms = components['schemas']['AcceptedTerms'];
export type ActorsCheck = components['schemas']['ActorsCheck'];
export type AllocatedTicket = components['schemas']['AllocatedTicket'];
export type Analytics = components['schemas']['Analytics'];
export type Anomaly = components['schemas']['Anomaly'];
export type AnomalyStats = components['schemas']['AnomalyStats'];
export type ArchiveForm = components['schemas']['ArchiveForm'];
export type AuditChain = components['schemas']['AuditChain'];
export type AuditEntry = components['schemas']['AuditEntry'];
export type AuditTrail = components['schemas']['AuditTrail'];
export type AvailableTickets = components['schemas']['AvailableTickets'];
export type BankDetails = components['schemas']['BankDetails'];
export type BankNotice = components['schemas']['BankNotice'];
export type BoughtTicket = components['schemas']['BoughtTicket'];
export type Buyer = components['schemas']['Buyer'];
export type BuyerOrder = components['schemas']['BuyerOrder'];
export type Cancellation = components['schemas']['Cancellation'];
export type CartItem = components['schemas']['CartItem'];
export type Checks = components['schemas']['Checks'];
export type Claim = components['schemas']['Claim'];
export type ClientEvent = components['schemas']['ClientEvent'];
export type ClockCheck = components['schemas']['ClockCheck'];
export type Club = components['schemas']['Club'];
export type ClubActivity = components['schemas']['ClubActivity'];
export type ClubPageMetadata = components['schemas']['ClubPageMetadata'];
export type ClubReminded = components['schemas']['ClubReminded'];
export type ClubStats = components['schemas']['ClubStats'];
export type ClubSummary = components['schemas']['ClubSummary'];
export type ClubTask = components['schemas']['ClubTask'];
export type ClubTaskDraw = components['schemas']['ClubTaskDraw'];
export type ClubUser = components['schemas']['ClubUser'];
export type ClubUserForm = components['schemas']['ClubUserForm'];
export type Configuration = components['schemas']['Configuration'];
export type ConnectStatus = components['schemas']['ConnectStatus'];
export type ConsoleClub = components['schemas']['ConsoleClub'];
export type ConsoleDraw = components['schemas']['ConsoleDraw'];
export type ConsoleHealth = components['schemas']['ConsoleHealth'];
export type ConsoleLine = components['schemas']['ConsoleLine'];
export type ConsoleOrder = components['schemas']['ConsoleOrder'];
export type ConsoleRefund = components['schemas']['ConsoleRefund'];
export type ConsoleTicket = components['schemas']['ConsoleTicket'];
export type DatabaseCheck = components['schemas']['DatabaseCheck'];
export type Diagnostics = components['schemas']['Diagnostics'];
export type Draw = components['schemas']['Draw'];
export type DrawCounts = components['schemas']['DrawCounts'];
export type DrawFees = components['schemas']['DrawFees'];
export type DrawForm = components['schemas']['DrawForm'];
export type DrawNow = components['schemas']['DrawNow'];
export type DrawPace = components['schemas']['DrawPace'];
export type DrawPageMetadata = components['schemas']['DrawPageMetadata'];
export type DrawSales = components['schemas']['DrawSales'];
export type DrawsClosed = components['schemas']['DrawsClosed'];
export type DrawTemplate = components['schemas']['DrawTemplate'];
export type DrawWithoutBuyers = components['schemas']['DrawWithoutBuyers'];
export type EmailVerified = components['schemas']['EmailVerified'];
export type Enrolment = components['schemas']['Enrolment'];
export type EnterResult = components['schemas']['EnterResult'];
export type FailedMetadata = components['schemas']['FailedMetadata'];
export type FailedPayment = components['schemas']['FailedPayment'];
export type FeeReading = components['schemas']['FeeReading'];
export type Financials = components['schemas']['Financials'];
export type FixtureImportResult = components['schemas']['FixtureImportResult'];
export type FixtureProblem = components['schemas']['FixtureProblem'];
export type FixtureRow = components['schemas']['FixtureRow'];
export type FooterItem = components['schemas']['FooterItem'];
export type FooterItemForm = components['schemas']['FooterItemForm'];
export type FooterMenu = components['schemas']['FooterMenu'];
export type FooterMenuForm = components['schemas']['FooterMenuForm'];
export type ForgottenPassword = components['schemas']['ForgottenPassword'];
export type HomePageForm = components['schemas']['HomePageForm'];
export type ImageRemoval = components['schemas']['ImageRemoval'];
export type ImageUpload = components['schemas']['ImageUpload'];
export type InFlight = components['schemas']['InFlight'];
export type IntegrityAudit = components['schemas']['IntegrityAudit'];
export type IntegrityCheck = components['schemas']['IntegrityCheck'];
export type IntegrityReport = components['schemas']['IntegrityReport'];
export type Liveness = components['schemas']['Liveness'];
export type Login = components['schemas']['Login'];
export type MailCheck = components['schemas']['MailCheck'];
export type MailedSecret = components['schemas']['MailedSecret'];
export type Maintenance = components['schemas']['Maintenance'];
export type MaintenanceForm = components['schemas']['MaintenanceForm'];
export type MaintenanceMode = components['schemas']['MaintenanceMode'];
export type MaskedBankDetails = components['schemas']['MaskedBankDetails'];
export type Message = components['schemas']['Message'];
export type MissingTicket = components['schemas']['MissingTicket'];
export type MissingTicketResolved = components['schemas']['MissingTicketResolved'];
export type MyTickets = components['schemas']['MyTickets'];
export type NewPassword = components['schemas']['NewPassword'];
export type NotifyWinner = components['schemas']['NotifyWinner'];
export type OfferForm = components['schemas']['OfferForm'];
export type OnboardingLink = components['schemas']['OnboardingLink'];
export type OpenedItem = components['schemas']['OpenedItem'];
export type OpenedPayment = components['schemas']['OpenedPayment'];
export type OpsNow = components['schemas']['OpsNow'];
export type Order = components['schemas']['Order'];
export type OrderLine = components['schemas']['OrderLine'];
export type OrderMail = components['schemas']['OrderMail'];
export type OrderRefunded = components['schemas']['OrderRefunded'];
export type OrderReminder = components['schemas']['OrderReminder'];
export type OrderReminderForm = components['schemas']['OrderReminderForm'];
export type OrderTicket = components['schemas']['OrderTicket'];
export type OrphanedTicket = components['schemas']['OrphanedTicket'];
export type OwnClub = components['schemas']['OwnClub'];
export type OwnDraw = components['schemas']['OwnDraw'];
export type OwnGame = components['schemas']['OwnGame'];
export type OwnOffer = components['schemas']['OwnOffer'];
export type PaidLine = components['schemas']['PaidLine'];
export type PaidTickets = components['schemas']['PaidTickets'];
export type PasswordProof = components['schemas']['PasswordProof'];
export type Payout = components['schemas']['Payout'];
export type PendingApproval = components['schemas']['PendingApproval'];
export type PlatformFees = components['schemas']['PlatformFees'];
export type PolicyReport = components['schemas']['PolicyReport'];
export type ProblemBody = components['schemas']['ProblemBody'];
export type Proof = components['schemas']['Proof'];
export type ProofResult = components['schemas']['ProofResult'];
export type ProviderCheck = components['schemas']['ProviderCheck'];
export type ProviderTransaction = components['schemas']['ProviderTransaction'];
export type PublicConfig = components['schemas']['PublicConfig'];
export type PublicNow = components['schemas']['PublicNow'];
export type PublicOffer = components['schemas']['PublicOffer'];
export type PublicOfferGame = components['schemas']['PublicOfferGame'];
export type Purchase = components['schemas']['Purchase'];
export type PurchaseResult = components['schemas']['PurchaseResult'];
export type PurchaseValidation = components['schemas']['PurchaseValidation'];
export type Readiness = components['schemas']['Readiness'];
export type Reason = components['schemas']['Reason'];
export type Reauthenticated = components['schemas']['Reauthenticated'];
export type ReconcilerCheck = components['schemas']['ReconcilerCheck'];
export type RecordPayout = components['schemas']['RecordPayout'];
export type RecoveredTicket = components['schemas']['RecoveredTicket'];
export type Refund = components['schemas']['Refund'];
export type RefundsSoFar = components['schemas']['RefundsSoFar'];
export type Registration = components['schemas']['Registration'];
export type RegistrationSwitch = components['schemas']['RegistrationSwitch'];
export type ReservationExtended = components['schemas']['ReservationExtended'];
export type Resolution = components['schemas']['Resolution'];
export type ResultAuthor = components['schemas']['ResultAuthor'];
export type ResultEntered = components['schemas']['ResultEntered'];
export type ResultUndone = components['schemas']['ResultUndone'];
export type Revisions = components['schemas']['Revisions'];
export type SalesCurve = components['schemas']['SalesCurve'];
export type SalesPoint = components['schemas']['SalesPoint'];
export type ScanForm = components['schemas']['ScanForm'];
export type ScanResult = components['schemas']['ScanResult'];
export type SearchHit = components['schemas']['SearchHit'];
export type SecondApproval = components['schemas']['SecondApproval'];
export type SecondFactorCode = components['schemas']['SecondFactorCode'];
export type Series = components['schemas']['Series'];
export type SessionIdle = components['schemas']['SessionIdle'];
export type Setting = components['schemas']['Setting'];
export type SettingForm = components['schemas']['SettingForm'];
export type SettlePayout = components['schemas']['SettlePayout'];
export type SlugPreview = components['schemas']['SlugPreview'];
export type SocketsCheck = components['schemas']['SocketsCheck'];
export type StripeAccount = components['schemas']['StripeAccount'];
export type SubscriptionRequest = components['schemas']['SubscriptionRequest'];
export type TermsAgreementForm = components['schemas']['TermsAgreementForm'];
export type TermsText = components['schemas']['TermsText'];
export type Ticket = components['schemas']['Ticket'];
export type TicketLinkRequest = components['schemas']['TicketLinkRequest'];
export type TicketMove = components['schemas']['TicketMove'];
export type TicketRecoveryForm = components['schemas']['TicketRecoveryForm'];
export type TicketsRecovered = components['schemas']['TicketsRecovered'];
export type TicketsResent = components['schemas']['TicketsResent'];
export type TransactionLine = components['schemas']['TransactionLine'];
export type TransactionSums = components['schemas']['TransactionSums'];
export type UnmaskedBankDetails = components['schemas']['UnmaskedBankDetails'];
export type UploadedImage = components['schemas']['UploadedImage'];
export type User = components['schemas']['User'];
export type Versions = components['schemas']['Versions'];
export type WaitlistEntry = components['schemas']['WaitlistEntry'];
export type WaitlistForm = components['schemas']['WaitlistForm'];
export type WaitlistJoined = components['schemas']['WaitlistJoined'];
export type WebhookCheck = components['schemas']['WebhookCheck'];
export type Whoami = components['schemas']['Whoami'];
export type Widget = components['schemas']['Widget'];
export type WinnerNotified = components['schemas']['WinnerNotified'];
export type Winners = components['schemas']['Winners'];
export type WinningTicket = components['schemas']['WinningTicket'];
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
