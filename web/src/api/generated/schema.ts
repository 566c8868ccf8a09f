/** The shapes on the wire. Written by `npm run types` from the server's own description; never by hand. */
export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        ActorsCheck: {
            /** @description Draws whose actor is awake. */
            awake: number;
            ok: boolean;
            /** @description Draws that failed again and again, and wait for an operator. */
            paused: number;
        };
        /** @description The agreement as it was written down. */
        Agreed: {
            acceptedAt: string;
            id: number;
            termsVersion: string;
        };
        /** @description A club agrees to the terms of service (B:195). What it says of its address and browser is ignored. */
        Agreement: {
            /** @default null */
            clubId: number | null;
            /** @default null */
            termsVersion: string | null;
        };
        AllocatedTicket: {
            drawNumber: number;
            /** @description `FD-1042-007`. */
            serialNumber: string;
            ticketNumber: number;
        };
        Analytics: {
            /** @description Those whose account may charge. */
            activeClubs: number;
            activeDraws: number;
            clubRevenue: string;
            feesEstimated: boolean;
            platformFees: string;
            prizeMoney: string;
            refunded: string;
            stripeFees: string;
            ticketsSold: number;
            /** @description Without archived ones (decision I-10). */
            totalClubs: number;
            totalDraws: number;
            totalRevenue: string;
        };
        Anomaly: {
            amount: string | null;
            clubId: number | null;
            clubName: string | null;
            customerEmail: string | null;
            customerName: string | null;
            customerPhone: string | null;
            /** @description Whatever explains it. */
            details: Record<string, never>;
            detectedAt: string;
            drawNumbers: number[];
            /** @description A UUID. */
            id: string;
            orderId: string | null;
            paymentIntentId: string | null;
            resolution: string | null;
            resolved: boolean;
            resolvedAt: string | null;
            /** @description 'Super Admin', or 'System' when it healed by itself. */
            resolvedBy: string | null;
            /** @description The payment in the provider's own dashboard, or in the sandbox's. */
            stripeUrl: string | null;
            ticketCount: number | null;
            /** @description `missing_ticket`, `duplicate_payment`, `failed_allocation`, `mismatched_amount` or `orphaned_ticket`. */
            type: string;
        };
        AnomalyStats: {
            oldestUnresolvedAt: string | null;
            resolved: number;
            total: number;
            unresolved: number;
        };
        Archiving: {
            /**
             * @description Yes when absent.
             * @default null
             */
            archived: boolean | null;
        };
        AuditChain: {
            brokenAt: number | null;
            head: string;
            length: number;
            /** @description Every entry follows from the one before it. */
            verified: boolean;
        };
        AuditEntry: {
            action: string;
            /** @description The session's identity: `operator 1`, `club 3`, `club 3 member 7`. */
            actor: string;
            at: string;
            /** @description For display: 'Super Admin', a member of a club with name and address, or the actor. */
            by: string;
            detail: Record<string, never>;
            /** @description Hexadecimal, of this entry's words and the hash before. */
            hash: string;
            id: number;
            ip: string | null;
            /** @description `draw:1042`, `order:…`, `setting:…` */
            object: string;
            previousHash: string;
        };
        AuditTrail: {
            chain: components["schemas"]["AuditChain"];
            entries: components["schemas"]["AuditEntry"][];
            /** @description Ask with `before` this for older ones. */
            next: number | null;
        };
        /** @description How many are left (decision F-10). */
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
        /** @description As it is shown: who, and the last digits. */
        BankShown: {
            accountName: string;
            /** @description `••••321`. */
            accountNumber: string;
            /** @description `•••-•21`. */
            bsb: string;
            /** @description `winner` or `club`. */
            from: string;
            receivedAt: string;
        };
        /** @description As the club or the winner tells it. */
        BankTold: {
            /** @default null */
            accountName: string | null;
            /**
             * @description Six to ten digits.
             * @default null
             */
            accountNumber: string | null;
            /**
             * @description Six digits, with or without a hyphen.
             * @default null
             */
            bsb: string | null;
            /**
             * @description Of the mailed link; the club's own call has none.
             * @default null
             */
            token: string | null;
        };
        /** @description Whole, for the one moment in which the club types it into its bank's page. */
        BankWhole: {
            accountName: string;
            accountNumber: string;
            /** @description `123-456`. */
            bsb: string;
        };
        /** @description Both spellings of the same three fields. */
        Buyer: {
            email?: string | null;
            name?: string | null;
            phone?: string | null;
        };
        /** @description What cancelling a draw would do, and once it is cancelled how far it is. */
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
        /** @description What the winner's own page shows. The link is the key; no login. */
        Claim: {
            awayNumber: number;
            awayTeam: string;
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
            /** @description `open`, `received`, `completed` or `expired`. */
            state: string;
            timezone: string;
            winnerName: string;
        };
        ClockCheck: {
            /** @description How far this node's clock is ahead of the database's; negative: behind. */
            offMs: number;
            ok: boolean;
        };
        Closed: {
            closed: number;
            message: string;
        };
        /** @description By itself (A:146). `slug` is what was asked for, `canonicalSlug` the present one (decision A-16). */
        Club: {
            accentColor: string;
            activeDraws?: components["schemas"]["Draw"][];
            canonicalSlug: string;
            completedDraws?: components["schemas"]["Draw"][];
            facebookPixelId: string | null;
            homePageEnabled: boolean;
            homePageSlug: string;
            homePageTagline: string;
            homePageTitle: string | null;
            id: number;
            logoUrl: string | null;
            name: string;
            primaryColor: string;
            secondaryColor: string;
            slug: string;
        };
        ClubDesk: {
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
        };
        /** @description In the public list (A:231). */
        ClubListed: {
            id: number;
            logoUrl: string | null;
            name: string;
            primaryColor: string;
            slug: string;
        };
        /** @description What the head of a club's page says (A:235). */
        ClubMeta: {
            accentColor: string;
            facebookPixelId: string | null;
            logoUrl: string | null;
            name: string;
            primaryColor: string;
            secondaryColor: string;
            tagline: string;
        };
        /** @description Somebody who may sign in for the club (decision G-17). */
        ClubUser: {
            email: string;
            /** @description 0: the club's own login. */
            id: number;
            invitedAt: string | null;
            /** @description Until when the mailed invitation opens. */
            invitedUntil: string | null;
            /** @description An owner whom nobody changes or removes. */
            isClubLogin: boolean;
            /** @description As far as sessions tell. */
            lastSeenAt: string | null;
            name: string;
            /** @description `owner`, `seller` or `viewer`. */
            role: string;
            /** @description `active`, `invited`, or `expired`: the invitation was not taken in time. */
            state: string;
        };
        /** @description Somebody to be asked in, or what is to change of them. */
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
        /** @description Six digits of an authenticator; spaces do not matter. */
        Code: {
            /** @default null */
            code: string | null;
        };
        /** @description What is in force, read only (decision B-18). */
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
            /** @description `per_line` or `per_charge`. */
            surchargeMode: string;
            termsVersion: string;
            ticketsPerDraw: number;
            timezone: string;
            versions: components["schemas"]["Versions"];
        };
        /** @description Whether a club may sell, as the provider last said (decision B-13). */
        ConnectStatus: {
            accountId: string | null;
            chargesEnabled: boolean;
            connected: boolean;
            detailsSubmitted: boolean;
            payoutsEnabled: boolean;
        };
        ConsoleDraw: components["schemas"]["Draw"] & {
            createdAt: string | null;
            /** @description Its league contains "test" (decision E-15). */
            isTest: boolean;
            orders: number;
            /** @description Tickets whose buyer left no address. */
            orphanedTickets: number;
            payoutStatus: string | null;
            platformFee: string;
            revenue: string;
            winnersNotified: boolean;
        };
        ConsoleHealth: {
            buildVersion: string;
            checkedAt: string;
            checks: components["schemas"]["Checks"];
            startedAt: string;
            /** @description `ok`, `degraded` or `down`. */
            status: string;
        };
        ConsoleLine: {
            awayTeam: string;
            drawNumber: number;
            drawStatus: string;
            homeTeam: string;
            ticketCount: number;
            ticketPrice: string;
            /** @description Without number pairs: nobody but the owner sees them before the reveal. */
            tickets: components["schemas"]["ConsoleTicket"][];
        };
        ConsoleOrder: {
            buyerEmail: string | null;
            buyerName: string | null;
            buyerPhone: string | null;
            capturedAt: string | null;
            cardFee: string;
            clubName: string | null;
            consented: boolean;
            createdAt: string;
            id: string;
            lines: components["schemas"]["ConsoleLine"][];
            paymentIntentId: string | null;
            platformFee: string;
            refund: components["schemas"]["ConsoleRefund"] | null;
            refundable: boolean;
            state: string;
            subtotal: string;
            total: string;
            whyNot: string | null;
        };
        ConsoleRefund: {
            amount: string;
            createdAt: string | null;
            feeReturned: string;
            reason: string;
            /** @description `pending`, `succeeded` or `failed`. */
            state: string;
        };
        ConsoleTicket: {
            /** @description `FD-1042-007`. */
            serialNumber: string;
            ticketNumber: number;
        };
        DatabaseCheck: {
            latencyMs: number;
            ok: boolean;
        };
        Diagnostics: {
            /** @description Kept as one line of text, without what speaks of a person. */
            data?: Record<string, never> | null;
            /** @default null */
            level: string | null;
            /** @default null */
            message: string | null;
        };
        /** @description In lists and by itself (A:142). `id` and `drawNumber` are the same integer (decision A-1). */
        Draw: {
            archived: boolean;
            awayFirstTryScorer: number | null;
            awayTeam: string;
            clubAccentColor: string;
            clubId: number;
            clubLogoUrl: string | null;
            clubName: string;
            clubPrimaryColor: string;
            /** @description By itself only: whether its club may begin a payment now (decisions B-13, H-3). One under way ends as it began. */
            clubSelling?: boolean;
            clubSlug: string;
            /** @description SHA-256 of the deal's seed, in hexadecimal (decision K-1). */
            commitment: string;
            /** @description By itself only: the club's account, which the browser's payment library needs (decision C-24). */
            connectedAccountId?: string;
            /** @description By itself only: whom buyers ask (decision E-18). */
            contactName?: string;
            contactPhone?: string;
            currentPrize: string;
            drawNumber: number;
            /** @description Kick-off, RFC 3339 in UTC. */
            gameDate: string;
            /** @description Kick-off in that zone, `19:10:00`. */
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
            /** @description `FD-1042` (decision E-19). */
            serialNumber: string;
            /** @description `active`, `closed`, `completed` or `cancelled`; active past its kick-off is closed (decision E-2). */
            status: string;
            /** @description Dollars, `5.00` (decision D-16). */
            ticketPrice: string;
            ticketsAvailable: number;
            ticketsHeld: number;
            ticketsSold: number;
            /** @description IANA name. */
            timezone: string;
            /** @description `FD-1042-007`, once completed and its kick-off has passed: with the result it tells a ticket's pair (decision E-6). */
            winningTicketSerial: string | null;
            winningTicketSold: boolean | null;
        };
        DrawCounts: {
            active: number;
            awaiting: number;
            completed: number;
        };
        DrawFees: {
            awayTeam: string;
            /** @description The fee has reached its cap. */
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
            /** @description The draw's own zone, in which its kick-off is told. */
            timezone: string;
        };
        /** @description Every field may be absent: creating asks for what it needs, changing takes any of them. */
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
             * @description `2026-11-27` (then `gameTime` says when), `2026-11-27T19:10` in `timezone`, or an instant with its offset.
             * @default null
             */
            gameDate: string | null;
            /**
             * @description `19:10` or `19:10:00`; 15:00:00 when a new draw names none.
             * @default null
             */
            gameTime: string | null;
            /** @default null */
            homeTeam: string | null;
            /**
             * @description `null` takes the league away.
             * @default null
             */
            league: string | null;
            /** @default null */
            passStripeFees: boolean | null;
            /** @default null */
            prizePercentage: number | null;
            /**
             * @description Why the operator changes a club's draw (decision E-9); a club is not asked.
             * @default null
             */
            reason: string | null;
            /** @default null */
            roundUpPrize: boolean | null;
            /**
             * @description When sales open; at once when absent (decision E-20).
             * @default null
             */
            salesOpenAt: string | null;
            /**
             * @description Dollars, as a number or as text.
             * @default null
             */
            ticketPrice: string | null;
            /**
             * @description IANA name; Australia/Brisbane when a new draw names none.
             * @default null
             */
            timezone: string | null;
        };
        /** @description What the head of a draw's page says (A:229). */
        DrawMeta: {
            description: string;
            drawNumber: number;
            imageUrl: string | null;
            title: string;
            url: string;
        };
        /** @description The part of a draw that moves: what a socket hears. */
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
        /** @description What "Duplicate last draw" fills the form with. */
        DrawTemplate: {
            awayTeam: string;
            contactName: string | null;
            contactPhone: string | null;
            /** @description Local, `2026-11-27T19:10`: the same hour, so many weeks later that it is ahead. */
            gameDate: string;
            homeTeam: string;
            league: string | null;
            passStripeFees: boolean;
            prizePercentage: number;
            roundUpPrize: boolean;
            ticketPrice: string;
            timezone: string;
        };
        EmailVerified: {
            verified: boolean;
        };
        /** @description What an authenticator is fed with. */
        Enrolment: {
            qrDataUrl: string;
            /** @description Base 32. */
            secret: string;
            /** @description `otpauth://totp/…` */
            uri: string;
        };
        /** @description The two first try scorers' jersey numbers, 1 to 13; 9 when a team did not score (B:65). */
        EnterResult: {
            awayFirstTryScorer?: number | null;
            homeFirstTryScorer?: number | null;
        };
        Extended: {
            expiresAt: string;
            extensionsLeft: number;
            serverTime: string;
        };
        FailedMetadata: {
            drawId: string;
            paymentMethod: string | null;
            ticketCount: string;
        };
        FailedPayment: {
            amount: number;
            /** @description Seconds. */
            created: number;
            metadata: components["schemas"]["FailedMetadata"];
            paymentIntentId: string;
            status: string;
        };
        /** @description One of the sources that disagree about the fee (C:348). */
        FeeReading: {
            capCents: number;
            rateBps: number | null;
            source: string;
        };
        /** @description A draw's money (B:119). */
        Financials: {
            /** @description The provider's own fees; estimated where its balance transaction is not known yet (decision D-18). */
            actualStripeFees: string;
            actualTransactionCount: number;
            cardFeesPaidByBuyers: string;
            clubProfit: string;
            /** @description Revenue less platform fee and less the card fees the club bears. */
            clubRevenue: string;
            feesEstimated: boolean;
            platformFee: string;
            /**
             * @description The prize comes off the club's revenue: the winning ticket was sold, or it is not revealed yet (decisions D-12,
             *     E-6).
             */
            prizeDue: boolean;
            prizePool: string;
            soldTickets: number;
            totalRevenue: string;
        };
        /** @description One game of the table, as it was read. */
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
        FooterItem: {
            displayOrder: number;
            id: number;
            isVisible: boolean;
            label: string;
            menuId: number;
            url: string;
        };
        FooterMenu: {
            displayOrder: number;
            heading: string;
            id: number;
            isVisible: boolean;
            items: components["schemas"]["FooterItem"][];
        };
        ForgottenPassword: {
            /** @default null */
            email: string | null;
        };
        Happening: {
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
        /** @description Any part of a club's home page (B:163-168). */
        HomePageForm: {
            /** @default null */
            accentColor: string | null;
            /**
             * @description Empty, or 5 to 20 digits.
             * @default null
             */
            facebookPixelId: string | null;
            /** @default null */
            homePageEnabled: boolean | null;
            /** @default null */
            homePageSlug: string | null;
            /** @default null */
            homePageTagline: string | null;
            /** @default null */
            homePageTitle: string | null;
            /**
             * @description Empty, an address, or a picture as `data:image/…;base64,…`.
             * @default null
             */
            logoUrl: string | null;
            /** @default null */
            primaryColor: string | null;
            /** @default null */
            secondaryColor: string | null;
        };
        ImageRemoval: {
            /**
             * @description The offer that no longer shows it; another one that does keeps it.
             * @default null
             */
            bundleSlug: string | null;
            /** @default null */
            clubSlug: string | null;
            /** @default null */
            url: string | null;
        };
        /** @description A share image (B:218). Name and wished key are ignored: the server makes the key (decision G-8). */
        ImageUpload: {
            /** @default null */
            clubSlug: string | null;
            /**
             * @description Base64, with or without a `data:` head.
             * @default null
             */
            data: string | null;
        };
        Imported: {
            alreadyThere: number;
            created: number;
            drawNumbers: number[];
            dryRun: boolean;
            found: number;
            /** @description Every game of the table, new or known. */
            rows: components["schemas"]["FixtureRow"][];
        };
        /** @description What is under way at this moment. */
        InFlight: {
            paymentsInFlight: number;
            reservations: number;
            ticketsHeld: number;
        };
        Integrity: {
            healthy: boolean;
            /** @description Each broken promise, and how many rows break it. */
            violations: {
                [key: string]: number;
            };
        };
        /** @description B:121. Amounts in cents. The list holds the newest, the numbers are of all. */
        IntegrityAudit: {
            affectedCustomers: number;
            checkedAt: string;
            failedCount: number;
            failedPayments: components["schemas"]["FailedPayment"][];
            totalFailedAmount: number;
        };
        IntegrityCheck: {
            ok: boolean;
            /** @description How many rows break each promise. */
            violations: {
                [key: string]: number;
            };
        };
        /** @description A line of a cart. What it says of prices and fees is ignored (decision C-3). */
        Item: {
            /** @description The offer it was added from. */
            bundleId?: number | null;
            drawId?: number | null;
            drawNumber?: number | null;
            quantity?: number | null;
        };
        ItemOpened: {
            cardFee: string;
            drawId: number;
            drawNumber: number;
            quantity: number;
            ticketPrice: string;
        };
        Live: {
            /** @description `live`. */
            status: string;
        };
        Login: {
            email?: string;
            password?: string;
        };
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
        Maintenance: {
            maintenanceMode: boolean;
            updatedAt: string;
            updatedBy: string | null;
        };
        MaintenanceMode: {
            maintenanceMode: boolean;
        };
        /** @description Whose tickets a payment without tickets becomes (C:164). */
        MissingTicket: {
            /** @default null */
            customerEmail: string | null;
            /** @default null */
            customerName: string | null;
            /** @default null */
            customerPhone: string | null;
            /** @default null */
            paymentIntentId: string | null;
        };
        MissingTicketResolved: {
            allocatedTickets: components["schemas"]["AllocatedTicket"][];
            customerName: string;
        };
        MyTickets: {
            /** @description `j…@example.com`. */
            emailMasked: string;
            /** @description The newest first, at most a hundred. */
            orders: components["schemas"]["Order"][];
            /** @description Until when the link works. */
            until: string;
        };
        NewPassword: {
            /** @default null */
            newPassword: string | null;
            /** @default null */
            token: string | null;
        };
        Notified: {
            /** @description Mails queued or sent for this result. */
            emailsSent: number;
            totalWinners: number;
        };
        /** @description An offer as its editor sends it (B:216). */
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
             * @description `draft` or `active`.
             * @default null
             */
            status: string | null;
            /**
             * @description `BUNDLE` or `SPECIAL`.
             * @default null
             */
            type: string | null;
        };
        Onboarding: {
            /** @description At the provider; opens once. */
            onboardingUrl: string;
        };
        /** @description What moves on the console's socket: badges, and which lists to read again. */
        OpsNow: {
            anomalies: components["schemas"]["AnomalyStats"];
            health: string;
            maintenanceMode: boolean;
            orphanedTickets: number;
            revisions: components["schemas"]["Revisions"];
            waitlist: number;
        };
        Order: {
            /** @description Cents. */
            amount: number;
            /** @description `j…@example.com`. */
            buyerEmailMasked: string | null;
            buyerName: string | null;
            cardFee: string;
            clubName: string;
            clubSlug: string;
            lines: components["schemas"]["OrderLine"][];
            orderToken: string;
            paymentIntentId: string | null;
            purchasedAt: string | null;
            /** @description Why it was not charged, or why the money goes back. */
            reason: string | null;
            refund: components["schemas"]["Refund"] | null;
            /** @description `quoted`, `allocated`, `captured`, `rejecting`, `released`, `void` or `anomaly`. */
            state: string;
            /** @description The same in the words of the purchase calls. */
            status: string;
            subtotal: string;
        };
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
        /** @description The buyer sees own pairs before everybody else (decision F-4). */
        OrderTicket: {
            awayNumber: number;
            homeNumber: number;
            /** @description Null until the draw is completed. */
            isWinner: boolean | null;
            serialNumber: string;
            ticketNumber: number;
        };
        /** @description A ticket that is paid for and belongs to nobody we could write to (C:108). */
        OrphanedTicket: {
            amount: string;
            awayNumber: number | null;
            awayTeam: string;
            clubName: string | null;
            drawNumber: number;
            drawStatus: string;
            /** @description Null until the reveal (decision F-1). */
            homeNumber: number | null;
            homeTeam: string;
            /** @description Its serial number, `FD-1042-007`. */
            id: string;
            isWinner: boolean | null;
            orderId: string;
            paymentIntentId: string | null;
            purchaseDate: string;
            revealed: boolean;
            serialNumber: string;
            ticketNumber: number;
        };
        /** @description For its own eyes and the operator's. */
        OwnClub: components["schemas"]["Club"] & {
            archived: boolean;
            email: string;
            emailVerified: boolean;
            /** @description A title was saved once: until then the dashboard says that the page is not set up (decision H-2). */
            homePageReady: boolean;
            /** @description Of the terms of service. */
            latestTermsVersion: string;
            location: string | null;
            phone: string | null;
            stripeConnectAccountId: string | null;
            /** @description Connected: it may sell (decision B-13). */
            stripeConnectOnboardingComplete: boolean;
        };
        /** @description A draw for the eyes of its club. */
        OwnDraw: components["schemas"]["Draw"] & {
            /** @description Active, and before its kick-off (B:139). */
            editable: boolean;
            /** @description Tickets are sold: price and prize stay (B:139). */
            locked: boolean;
            notEditableReason: string | null;
            ownedByCaller: boolean;
        };
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
        /** @description An offer for the eyes of its club. */
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
            /** @description `draft`, `active`, `locked` (something was sold), `closed` (a game has begun), `archived` (decision H-4). */
            status: string;
            /** @description Times it was sold. */
            ticketsSold: number;
            type: string;
            updatedAt: string;
        };
        /** @description The club's own password, asked for once more. */
        PasswordAgain: {
            /** @default null */
            password: string | null;
        };
        /** @description An open payment (A:239-242). */
        PaymentOpened: {
            /** @description Cents. */
            amount: number;
            /** @description Secret; handed only to the session that opened the order. */
            clientSecret: string;
            connectedAccountId: string;
            /** @description When the tickets stop being kept, as shown. */
            expiresAt: string;
            items?: components["schemas"]["ItemOpened"][];
            orderToken: string;
            paymentIntentId: string;
            /** @description Same as the order's id. */
            reservationId: string;
            serverTime: string;
            ticketCount: number;
        };
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
            /** @description `club_share` or `winner`. */
            type: string;
        };
        PlatformFees: {
            /** @description The revenue of a draw at which its fee reaches the cap. */
            capReachedAtCents: number;
            clubRevenue: string;
            draws: components["schemas"]["DrawFees"][];
            feeCapCents: number;
            feeRateBps: number;
            /** @description First and last day, Brisbane's, if only some were asked for. */
            from: string | null;
            platformFees: string;
            prizeMoney: string;
            readings: components["schemas"]["FeeReading"][];
            stripeFees: string;
            to: string | null;
            totalRevenue: string;
        };
        /** @description A report as older browsers send it; newer ones send a list of them, in words of their own. */
        PolicyReport: {
            "csp-report"?: Record<string, never> | null;
        };
        /** @description The edge writes it; this is its shape. What belongs to a code comes beside the first three. */
        Problem: {
            /** @description `amount-changed`: the right amount, in cents. */
            amount?: number;
            /** @description `tickets-unavailable`: how many are left. */
            available?: number;
            /** @description A word for programs: `tickets-unavailable`. */
            code: string;
            drawNumber?: number;
            /** @description `declined`: the provider's own word. */
            errorCode?: string;
            /** @description `invalid` and `fixtures-refused`: everything that is wrong, in order. */
            errors?: unknown[];
            /** @description `declined`: always `card_error`. */
            errorType?: string;
            /** @description A sentence for the person who asked. */
            message: string;
            needs?: string;
            orderId?: string;
            /** @description `draw-full` and what else leaves a payment without tickets: whether the money can go back, and of which order. */
            refundable?: boolean;
            /** @description Under which support finds it. */
            requestId: string;
            /** @description `role-not-allowed`: what the caller is in the club, and what the call takes: `viewer`, `seller`, `owner`. */
            role?: string;
            /** @description `setup-required`: the club's account at the provider is not ready. */
            setupRequired?: boolean;
            status?: string;
            /** @description `declined`, `not-charged` and `refunding`: never true, and how the payment ended, in the words of a completion call. */
            success?: boolean;
        };
        Proof: {
            algorithm: string;
            /** @description `SHA-256("football-doubles-v1" ‖ draw number ‖ seed)`, published at creation, in hexadecimal. */
            commitment: string;
            drawNumber: number;
            result: components["schemas"]["ProofResult"] | null;
            revealed: boolean;
            /** @description 32 bytes in hexadecimal, once the draw is completed and its kick-off has passed (decision E-6). */
            seed: string | null;
            soldTickets: number[];
            /** @description As the seed, not before: with the result it tells a ticket's pair. */
            winningTicket: number | null;
        };
        ProofResult: {
            away: number;
            home: number;
        };
        ProviderCheck: {
            lastAnswerAt: string | null;
            lastFailureAt: string | null;
            ok: boolean;
        };
        /** @description A payment of the last 30 days. Dollars, but what ends in `Cents`, and `amount` and `stripeFee` (B:87). */
        ProviderTransaction: {
            /** @description Cents. */
            amount: number;
            awayTeam: string;
            clubId: number;
            clubName: string | null;
            clubPayout: string;
            clubPayoutCents: number;
            /** @description Seconds. */
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
            /** @description `card`, `apple_pay`, `google_pay`, `link`; null while the provider has not said. */
            paymentMethod: string | null;
            platformFee: string;
            platformFeeCents: number;
            /** @description Always nothing, as specified (decision D-13). */
            prizePool: string;
            refunded: string;
            refundState: string | null;
            status: string;
            /** @description Cents. */
            stripeFee: number;
            stripeFees: string;
            stripeUrl: string | null;
            ticketCount: number;
            ticketPrice: string;
        };
        PublicConfig: {
            buildVersion: string;
            currency: string;
            /** @description Cards are simulated and mails stay in a mailbox page. */
            demo: boolean;
            feeCapCents: number;
            /** @description Clubs may pass the card fee on to buyers (decision D-14). */
            feePassthroughAllowed: boolean;
            feeRateBps: number;
            maxPerPurchase: number;
            publishableKey: string;
            stripeJs: string;
            supportEmail: string;
            supportSms: string;
            /** @description A cart's passed-on card fee: once for each of its lines (`per_line`), or once for the payment (`per_charge`), decision D-6. */
            surchargeMode: string;
            /** @description Of the terms of service that clubs accept. */
            termsVersion: string;
        };
        /** @description What everybody hears. */
        PublicNow: {
            buildVersion: string;
            maintenanceMode: boolean;
        };
        /** @description `PUBLIC` in the name, because its club's editor reads another shape. */
        PublicOffer: {
            available: number;
            /** @description The first kick-off of its games. */
            closesAt: string | null;
            clubId: number;
            clubName: string;
            clubSlug: string;
            /** @description Whole; shown cut at 90 characters (decision H-12). */
            displayTag: string | null;
            drawIds: number[];
            endAt: string | null;
            games: components["schemas"]["PublicOfferGame"][];
            id: number;
            name: string;
            primaryCopy: string | null;
            sellable: boolean;
            /** @description The club's own picture, else one that is drawn (decision H-11). */
            shareImageUrl: string;
            slug: string;
            startAt: string | null;
            /** @description `active`, `locked` (sold before, and still on sale), `scheduled` or `closed`. */
            status: string;
            /** @description One ticket of each game. */
            totalPrice: string;
            /** @description `BUNDLE` or `SPECIAL`. */
            type: string;
            /** @description Why it cannot be added to a cart: `Bundle closed`, or the game that is sold out (decision H-9). */
            unavailableReason: string | null;
        };
        PublicOfferGame: {
            awayTeam: string;
            currentPrize: string;
            drawNumber: number;
            gameDate: string;
            homeTeam: string;
            id: number;
            league: string | null;
            passStripeFees: boolean;
            /** @description Kick-off, unless sales end before it (decision H-6). */
            salesCloseAt: string | null;
            status: string;
            ticketPrice: string;
            ticketsAvailable: number;
            ticketsSold: number;
            timezone: string;
        };
        /** @description One body for the card form, the wallet and the checkout page: they differ in which fields they fill. */
        Purchase: {
            ageConfirmation?: boolean | null;
            buyer?: components["schemas"]["Buyer"] | null;
            /** @description The browser's name for one attempt to buy: the same key again is the same order. */
            clientKey?: string | null;
            clientSecret?: string | null;
            customerInfo?: components["schemas"]["Buyer"] | null;
            drawId?: number | null;
            drawNumber?: number | null;
            /** @description What the buyer was shown; never the price (decision C-3). */
            expectedAmount?: number | null;
            items?: components["schemas"]["Item"][] | null;
            orderToken?: string | null;
            paymentIntentId?: string | null;
            paymentMethodId?: string | null;
            /** @description The provider's token id, `tok_…`, nothing else (decision C-6). */
            paymentToken?: string | null;
            termsAgreement?: boolean | null;
            ticketCount?: number | null;
        };
        /** @description What a completion call came to (decision C-4). */
        PurchaseAnswer: {
            /** @description The browser has to finish (3-D Secure) and call again. */
            clientSecret?: string;
            message?: string;
            /** @description Only for the session that opened the order. */
            orderToken: string | null;
            paymentIntentId: string | null;
            /** @description `succeeded`, `processing`, `requires_action`, `requires_payment_method` or `not_charged`. */
            status: string;
            success: boolean;
            tickets: components["schemas"]["TicketBought"][];
        };
        Ready: {
            database: boolean;
            ready: boolean;
        };
        /** @description Why, and for what cannot be taken back the draw's number once more. */
        Reasoned: {
            /** @default null */
            drawNumber: number | null;
            /** @default null */
            reason: string | null;
        };
        Reauthenticated: {
            reauthenticatedUntil: string;
        };
        ReconcilerCheck: {
            /** @description When it last ended a round. */
            lastRunAt: string | null;
            ok: boolean;
        };
        RecordPayout: {
            type?: string;
        };
        Recovered: {
            /** @description The mail that waited for an address is on its way. */
            notified: boolean;
            /** @description All tickets of that order. */
            recovered: number;
            ticket: components["schemas"]["RecoveredTicket"];
        };
        RecoveredTicket: {
            buyerEmail: string;
            buyerName: string;
            id: string;
            serialNumber: string;
        };
        /** @description Both spellings (decision I-12). */
        Recovery: {
            /** @default null */
            email: string | null;
            /** @default null */
            name: string | null;
            /** @default null */
            phone: string | null;
            /** @default null */
            secondApproval: components["schemas"]["SecondApproval"] | null;
        };
        Refund: {
            amount: string;
            /** @description `pending` or `succeeded`. */
            state: string;
        };
        Refunded: {
            amount: string;
            feeReturned: string;
            orderId: string;
            state: string;
            ticketsVoided: string[];
        };
        RefundsSoFar: {
            failed: number;
            pending: number;
            succeeded: number;
        };
        /** @description A new club (B:191). */
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
        /** @description Whether clubs may register by themselves (B:188). */
        RegistrationSwitch: {
            enabled: boolean;
        };
        Resolution: {
            /** @default null */
            note: string | null;
        };
        ResultEntered: {
            draw: components["schemas"]["Draw"];
            prize: string;
            /** @description Kick-off, while the winning ticket is withheld until then; else null (decision E-6). */
            revealedAt: string | null;
            /** @description One, as every pair is on a ticket; `sold: false` when nobody bought it (decision D-11). Empty until kick-off. */
            winningTickets: components["schemas"]["WinningTicket"][];
        };
        /** @description Counters that rise when that list changed. */
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
        /** @description A sentence, and nothing else to know. */
        Said: {
            message: string;
        };
        Scan: {
            /** @default null */
            hoursBack: number | null;
        };
        /** @description What looking again found. */
        Scanned: {
            examined: number;
            healed: number;
            hoursBack: number;
            /** @description Not counted before (decision I-3). */
            newAnomalies: number;
        };
        /** @description Something found, and where the console shows it. */
        SearchHit: {
            detail: string;
            id: string;
            /** @description What goes into its search field. */
            key: string;
            kind: string;
            /** @description The console's section. */
            section: string;
            title: string;
        };
        /** @description Another operator's code, for a winning ticket after the reveal (decision I-8). */
        SecondApproval: {
            /** @default  */
            code: string;
            /** @default  */
            email: string;
        };
        /** @description Columns of equal length, as charts want them. */
        Series: {
            anomalies: number[];
            /** @description Beginnings of the steps, in seconds since 1970. */
            at: number[];
            payments: number[];
            revenueCents: number[];
            stepSeconds: number;
            ticketsSold: number[];
        };
        /** @description How long an unused session lives, in seconds. */
        SessionIdle: {
            club: number;
            operator: number;
        };
        Setting: {
            description: string | null;
            id: number;
            key: string;
            updatedAt: string;
            /** @description 'Super Admin' (decision G-7). */
            updatedBy: string | null;
            value: string;
        };
        SettlePayout: {
            note?: string | null;
            status?: string;
        };
        /** @description What a registration under this name would be given. */
        SlugPreview: {
            slug: string;
        };
        SocketsCheck: {
            ok: boolean;
            sessions: number;
        };
        /** @description The dashboard's figures (decision B-5). */
        Stats: {
            clubProfit: string;
            draws: components["schemas"]["DrawCounts"];
            feesEstimated: boolean;
            ticketsSold: number;
            totalRevenue: string;
        };
        /** @description A club's account at the provider (decision B-17). */
        StripeAccount: {
            accountId: string | null;
            chargesEnabled: boolean;
            clubId: number;
            clubName: string;
            detailsSubmitted: boolean;
            payoutsEnabled: boolean;
        };
        /** @description A versioned legal text (decision B-15). */
        TermsText: {
            kind: string;
            /** @description Of the text, in hexadecimal. */
            sha256: string;
            text: string;
            title: string;
            version: string;
        };
        /**
         * @description One of a draw's 169 (A:144). For strangers `buyerName` and `buyerEmail` are the word `sold` or null, and pair and
         *     winner are null until the reveal (decision F-1).
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
            /** @description The club's and the operator's answer only. */
            purchaseDate?: string;
            /** @description `FD-1042-007`. */
            serialNumber: string;
            sold: boolean;
            stripePaymentIntentId?: string;
            ticketNumber: number;
        };
        /** @description The owner's own ticket, pair included. */
        TicketBought: {
            awayNumber: number;
            drawNumber: number;
            homeNumber: number;
            serialNumber: string;
            ticketNumber: number;
        };
        TicketsWanted: {
            /**
             * @description The address the tickets were bought with.
             * @default null
             */
            email: string | null;
        };
        TransactionLine: {
            drawNumber: number;
            ticketCount: number;
            ticketPrice: string;
        };
        /** @description The successful payments of the last 30 days in sums, in dollars (B:87). The list beside it holds the newest `listedMax`. */
        TransactionSums: {
            clubPayouts: string;
            count: number;
            /** @description The provider has not told all its fees yet. */
            feesEstimated: boolean;
            listedMax: number;
            platformFees: string;
            /** @description Always nothing, as specified (decision D-13). */
            prizePools: string;
            stripeFees: string;
            totalCharged: string;
        };
        Undone: {
            correctionsSent: number;
            newStatus: string;
            payoutsCleared: number;
        };
        Uploaded: {
            url: string;
        };
        /** @description Who signed in; a display hint for the browser, never an authority (decision G-4). */
        User: {
            /** @description An archived club may only look, and finish what runs (decision H-3). */
            archived: boolean;
            clubSlug: string | null;
            email: string;
            /** @description The dashboard reminds until it is (decision G-18). */
            emailVerified: boolean;
            /** @description The club's id; for the operator its own. */
            id: number;
            isAdmin: boolean;
            memberEmail: string | null;
            /** @description Which of the club's people it is; null for the club's own login. */
            memberName: string | null;
            name: string;
            /** @description What one of a club's people may do: `owner`, `seller` or `viewer`; the club's own login is an owner. Null for an operator. */
            role: string | null;
            /** @description An operator's: `enrol`, `required` or `done`. */
            secondFactor: string | null;
        };
        Validated: {
            errors: string[];
            valid: boolean;
        };
        Versions: {
            database: string;
            /** @description The newest migration. */
            schema: string;
            server: string;
        };
        /** @description A club that wants to be told when it may join (B:189). */
        Waiting: {
            /** @default null */
            clubName: string | null;
            /** @default null */
            contactEmail: string | null;
            /** @default null */
            contactName: string | null;
            /** @default null */
            contactPhone: string | null;
        };
        /** @description On the waiting list. */
        Waitlisted: {
            id: number;
            success: boolean;
        };
        WaitlistEntry: {
            clubName: string;
            contactEmail: string;
            contactName: string;
            contactPhone: string;
            createdAt: string;
            id: number;
        };
        WantedItem: {
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
        /** @description `updatedBy` in the body is ignored: the session says who it was (decision G-7). */
        WantedMaintenance: {
            /** @default null */
            enabled: boolean | null;
        };
        WantedMenu: {
            /** @default null */
            displayOrder: number | null;
            /** @default null */
            heading: string | null;
            /** @default null */
            isVisible: boolean | null;
        };
        /** @description `updatedBy` in the body is ignored: the session says who it was. */
        WantedSetting: {
            /** @default null */
            description: string | null;
            /** @default null */
            value: string | null;
        };
        WebhookCheck: {
            lastReceivedAt: string | null;
            ok: boolean;
            /** @description Signed as the provider signs, and refused for their time, since the process began: then a clock is wrong. */
            outOfTime: number;
            waiting: number;
        };
        Whoami: {
            clubSlug: string | null;
            /** @description Until when an operator need not show a code again. */
            reauthenticatedUntil: string | null;
            /** @description `super-admin` or `club-admin`. */
            role: string;
            /** @description An operator's: `enrol`, `required` or `done`. */
            secondFactor: string | null;
            sessionEndsAt: string;
            user: components["schemas"]["User"];
        };
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
        /** @description Who won, for the club's dashboard. */
        Winners: {
            /** @description The winner was written to about this result. */
            notified: boolean;
            prize: string;
            /** @description Kick-off, while the winning ticket is withheld until then; else null (decision E-6). */
            revealedAt: string | null;
            /** @description As in the answer of the result. */
            winningTickets: components["schemas"]["WinningTicket"][];
        };
        /** @description The winning ticket with its buyer, for the owning club. */
        WinningTicket: {
            awayNumber: number;
            bank: components["schemas"]["BankShown"] | null;
            buyerEmail: string | null;
            buyerName: string | null;
            buyerPhone: string | null;
            /** @description The buyer's bank disputes the payment: no payout until that is resolved (decision C-25). */
            disputed: boolean;
            homeNumber: number;
            /** @description Until when the mailed link takes bank details. */
            respondBy: string | null;
            serialNumber: string;
            sold: boolean;
            ticketNumber: number;
            /** @description `pending`, `details_received` or `completed` (decision D-17); null when nobody bought it. */
            winnerPayoutStatus: string | null;
        };
        /** @description What a browser may say on the socket. */
        Wish: {
            /** @default [] */
            subscribe: string[];
            /** @default [] */
            unsubscribe: string[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type ActorsCheck = components['schemas']['ActorsCheck'];
export type Agreed = components['schemas']['Agreed'];
export type Agreement = components['schemas']['Agreement'];
export type AllocatedTicket = components['schemas']['AllocatedTicket'];
export type Analytics = components['schemas']['Analytics'];
export type Anomaly = components['schemas']['Anomaly'];
export type AnomalyStats = components['schemas']['AnomalyStats'];
export type Archiving = components['schemas']['Archiving'];
export type AuditChain = components['schemas']['AuditChain'];
export type AuditEntry = components['schemas']['AuditEntry'];
export type AuditTrail = components['schemas']['AuditTrail'];
export type AvailableTickets = components['schemas']['AvailableTickets'];
export type BankShown = components['schemas']['BankShown'];
export type BankTold = components['schemas']['BankTold'];
export type BankWhole = components['schemas']['BankWhole'];
export type Buyer = components['schemas']['Buyer'];
export type Cancellation = components['schemas']['Cancellation'];
export type Checks = components['schemas']['Checks'];
export type Claim = components['schemas']['Claim'];
export type ClockCheck = components['schemas']['ClockCheck'];
export type Closed = components['schemas']['Closed'];
export type Club = components['schemas']['Club'];
export type ClubDesk = components['schemas']['ClubDesk'];
export type ClubListed = components['schemas']['ClubListed'];
export type ClubMeta = components['schemas']['ClubMeta'];
export type ClubUser = components['schemas']['ClubUser'];
export type ClubUserForm = components['schemas']['ClubUserForm'];
export type Code = components['schemas']['Code'];
export type Configuration = components['schemas']['Configuration'];
export type ConnectStatus = components['schemas']['ConnectStatus'];
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
export type DrawMeta = components['schemas']['DrawMeta'];
export type DrawNow = components['schemas']['DrawNow'];
export type DrawTemplate = components['schemas']['DrawTemplate'];
export type EmailVerified = components['schemas']['EmailVerified'];
export type Enrolment = components['schemas']['Enrolment'];
export type EnterResult = components['schemas']['EnterResult'];
export type Extended = components['schemas']['Extended'];
export type FailedMetadata = components['schemas']['FailedMetadata'];
export type FailedPayment = components['schemas']['FailedPayment'];
export type FeeReading = components['schemas']['FeeReading'];
export type Financials = components['schemas']['Financials'];
export type FixtureRow = components['schemas']['FixtureRow'];
export type FooterItem = components['schemas']['FooterItem'];
export type FooterMenu = components['schemas']['FooterMenu'];
export type ForgottenPassword = components['schemas']['ForgottenPassword'];
export type Happening = components['schemas']['Happening'];
export type HomePageForm = components['schemas']['HomePageForm'];
export type ImageRemoval = components['schemas']['ImageRemoval'];
export type ImageUpload = components['schemas']['ImageUpload'];
export type Imported = components['schemas']['Imported'];
export type InFlight = components['schemas']['InFlight'];
export type Integrity = components['schemas']['Integrity'];
export type IntegrityAudit = components['schemas']['IntegrityAudit'];
export type IntegrityCheck = components['schemas']['IntegrityCheck'];
export type Item = components['schemas']['Item'];
export type ItemOpened = components['schemas']['ItemOpened'];
export type Live = components['schemas']['Live'];
export type Login = components['schemas']['Login'];
export type MailCheck = components['schemas']['MailCheck'];
export type MailedSecret = components['schemas']['MailedSecret'];
export type Maintenance = components['schemas']['Maintenance'];
export type MaintenanceMode = components['schemas']['MaintenanceMode'];
export type MissingTicket = components['schemas']['MissingTicket'];
export type MissingTicketResolved = components['schemas']['MissingTicketResolved'];
export type MyTickets = components['schemas']['MyTickets'];
export type NewPassword = components['schemas']['NewPassword'];
export type Notified = components['schemas']['Notified'];
export type OfferForm = components['schemas']['OfferForm'];
export type Onboarding = components['schemas']['Onboarding'];
export type OpsNow = components['schemas']['OpsNow'];
export type Order = components['schemas']['Order'];
export type OrderLine = components['schemas']['OrderLine'];
export type OrderTicket = components['schemas']['OrderTicket'];
export type OrphanedTicket = components['schemas']['OrphanedTicket'];
export type OwnClub = components['schemas']['OwnClub'];
export type OwnDraw = components['schemas']['OwnDraw'];
export type OwnGame = components['schemas']['OwnGame'];
export type OwnOffer = components['schemas']['OwnOffer'];
export type PasswordAgain = components['schemas']['PasswordAgain'];
export type PaymentOpened = components['schemas']['PaymentOpened'];
export type Payout = components['schemas']['Payout'];
export type PlatformFees = components['schemas']['PlatformFees'];
export type PolicyReport = components['schemas']['PolicyReport'];
export type Problem = components['schemas']['Problem'];
export type Proof = components['schemas']['Proof'];
export type ProofResult = components['schemas']['ProofResult'];
export type ProviderCheck = components['schemas']['ProviderCheck'];
export type ProviderTransaction = components['schemas']['ProviderTransaction'];
export type PublicConfig = components['schemas']['PublicConfig'];
export type PublicNow = components['schemas']['PublicNow'];
export type PublicOffer = components['schemas']['PublicOffer'];
export type PublicOfferGame = components['schemas']['PublicOfferGame'];
export type Purchase = components['schemas']['Purchase'];
export type PurchaseAnswer = components['schemas']['PurchaseAnswer'];
export type Ready = components['schemas']['Ready'];
export type Reasoned = components['schemas']['Reasoned'];
export type Reauthenticated = components['schemas']['Reauthenticated'];
export type ReconcilerCheck = components['schemas']['ReconcilerCheck'];
export type RecordPayout = components['schemas']['RecordPayout'];
export type Recovered = components['schemas']['Recovered'];
export type RecoveredTicket = components['schemas']['RecoveredTicket'];
export type Recovery = components['schemas']['Recovery'];
export type Refund = components['schemas']['Refund'];
export type Refunded = components['schemas']['Refunded'];
export type RefundsSoFar = components['schemas']['RefundsSoFar'];
export type Registration = components['schemas']['Registration'];
export type RegistrationSwitch = components['schemas']['RegistrationSwitch'];
export type Resolution = components['schemas']['Resolution'];
export type ResultEntered = components['schemas']['ResultEntered'];
export type Revisions = components['schemas']['Revisions'];
export type Said = components['schemas']['Said'];
export type Scan = components['schemas']['Scan'];
export type Scanned = components['schemas']['Scanned'];
export type SearchHit = components['schemas']['SearchHit'];
export type SecondApproval = components['schemas']['SecondApproval'];
export type Series = components['schemas']['Series'];
export type SessionIdle = components['schemas']['SessionIdle'];
export type Setting = components['schemas']['Setting'];
export type SettlePayout = components['schemas']['SettlePayout'];
export type SlugPreview = components['schemas']['SlugPreview'];
export type SocketsCheck = components['schemas']['SocketsCheck'];
export type Stats = components['schemas']['Stats'];
export type StripeAccount = components['schemas']['StripeAccount'];
export type TermsText = components['schemas']['TermsText'];
export type Ticket = components['schemas']['Ticket'];
export type TicketBought = components['schemas']['TicketBought'];
export type TicketsWanted = components['schemas']['TicketsWanted'];
export type TransactionLine = components['schemas']['TransactionLine'];
export type TransactionSums = components['schemas']['TransactionSums'];
export type Undone = components['schemas']['Undone'];
export type Uploaded = components['schemas']['Uploaded'];
export type User = components['schemas']['User'];
export type Validated = components['schemas']['Validated'];
export type Versions = components['schemas']['Versions'];
export type Waiting = components['schemas']['Waiting'];
export type Waitlisted = components['schemas']['Waitlisted'];
export type WaitlistEntry = components['schemas']['WaitlistEntry'];
export type WantedItem = components['schemas']['WantedItem'];
export type WantedMaintenance = components['schemas']['WantedMaintenance'];
export type WantedMenu = components['schemas']['WantedMenu'];
export type WantedSetting = components['schemas']['WantedSetting'];
export type WebhookCheck = components['schemas']['WebhookCheck'];
export type Whoami = components['schemas']['Whoami'];
export type Widget = components['schemas']['Widget'];
export type Winners = components['schemas']['Winners'];
export type WinningTicket = components['schemas']['WinningTicket'];
export type Wish = components['schemas']['Wish'];
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
