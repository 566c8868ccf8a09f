//! Tests what a mail must contain, and that a name cannot inject HTML or links into a mail.

use super::*;

fn test_letterhead() -> Letterhead {
    Letterhead {
        club: Some("Wynnum Seagulls".to_string()),
        bar: Colour::parse("#ffeb3b").expect("a colour"),
        support_email: "support@demo.test".to_string(),
        support_sms: "0400 000 000".to_string(),
    }
}

fn confirmation(home: &str) -> Confirmation {
    let tickets = vec![
        ConfirmedTicket {
            label: "FD-1042-007".to_string(),
            home: 3,
            away: 11,
        },
        ConfirmedTicket {
            label: "FD-1042-008".to_string(),
            home: 9,
            away: 1,
        },
    ];
    let game = ConfirmedGame {
        home: home.to_string(),
        away: "Tigers".to_string(),
        league: Some("Queensland Cup".to_string()),
        kick_off: "Fri 20 Nov 2026, 7:10 pm AEST".to_string(),
        ticket_price: "$5.00".to_string(),
        prize: "$290.00".to_string(),
        tickets,
    };
    Confirmation {
        head: test_letterhead(),
        subject: format!("2 tickets – {home} v Tigers, Fri 7:10 pm"),
        buyer: "Alice Nguyen".to_string(),
        count: 2,
        games: vec![game],
        subtotal: "$10.00".to_string(),
        card_fee: Some("$0.47".to_string()),
        total: "$10.47".to_string(),
        link: "http://localhost:8080/my/0123456789abcdef0123456789abcdef".to_string(),
        calendar: "http://localhost:8080/api/draws/1042/calendar.ics".to_string(),
        reference: "FD-7F3A".to_string(),
    }
}

#[test]
fn text_and_html_of_a_confirmation_have_the_same_facts() {
    let words = confirmation("Sharks").render_parts().expect("a mail");
    for part in [&words.text, &words.html] {
        for fact in [
            "Alice Nguyen",
            "Sharks v Tigers",
            "Queensland Cup",
            "Fri 20 Nov 2026, 7:10 pm AEST",
            "FD-1042-007",
            "FD-1042-008",
            "$290.00",
            "$10.47",
            "/my/0123456789abcdef0123456789abcdef",
            "/api/draws/1042/calendar.ics",
            "support@demo.test",
        ] {
            assert!(part.contains(fact), "{fact} is missing in:\n{part}");
        }
    }
    assert!(words.text.contains("FD-1042-007   3 / 11"));
}

#[test]
fn html_mail_needs_no_images_and_supports_dark_mode() {
    let html = confirmation("Sharks").render_parts().expect("a mail").html;
    for needed in [
        "lang=\"en-AU\"",
        "role=\"presentation\"",
        "color-scheme",
        "supported-color-schemes",
        "max-width:600px",
    ] {
        assert!(html.contains(needed), "{needed} is missing");
    }
    assert!(!html.contains("<img") && !html.contains("<script"));
    assert!(
        html.contains("background:#ffeb3b;color:#000000"),
        "a light club colour carries black text"
    );
    assert!(html.len() < 100_000);
}

#[test]
fn name_cannot_inject_markup_or_a_header() {
    let words = confirmation("<b>Sharks</b>\r\nBcc: everyone@example.com")
        .render_parts()
        .expect("a mail");
    assert!(!words.html.contains("<b>Sharks"));
    assert!(!words.subject.contains('\n') && !words.subject.contains('\r'));
}

#[test]
fn simple_mail_contains_its_text_and_link() {
    let note = SimpleMail {
        head: test_letterhead(),
        subject: "You won $290.00 – Sharks v Tigers".to_string(),
        heading: "You won $290.00".to_string(),
        paragraphs: vec!["Your ticket FD-1042-007 carries 3 and 11.".into()],
        link: Some((
            "See the draw".to_string(),
            "http://localhost:8080/draw/1042".to_string(),
        )),
    };
    let words = note.render_parts().expect("a mail");
    assert!(
        words
            .text
            .contains("See the draw: http://localhost:8080/draw/1042")
    );
    assert!(
        words
            .html
            .contains("href=\"http://localhost:8080/draw/1042\"")
    );
}

#[test]
fn own_url_becomes_a_link_and_typed_url_does_not() {
    let note = SimpleMail {
        head: test_letterhead(),
        subject: "Hello".to_string(),
        heading: "Hello".to_string(),
        paragraphs: vec![
            "Hello https://evil.example/claim <a href='x'>.".into(),
            Paragraph::ending_with_link(
                "The result:",
                "http://localhost:8080/draw/1042".to_string(),
            ),
            Paragraph::ending_with_link("Write to", "support@demo.test".to_string()),
            Paragraph::ending_with_link("Odd:", "http://x/\" onclick=\"y".to_string()),
        ],
        link: None,
    };
    let words = note.render_parts().expect("a mail");
    assert!(
        words
            .text
            .contains("The result: http://localhost:8080/draw/1042\n"),
        "{}",
        words.text
    );
    assert!(
        words.text.contains("Write to support@demo.test\n"),
        "{}",
        words.text
    );
    let link = |href: &str, shown: &str| {
        words.html.contains(&format!(
            "<a href=\"{href}\" style=\"color:#1d5fd1\">{shown}</a>"
        ))
    };
    assert!(
        link(
            "http://localhost:8080/draw/1042",
            "http://localhost:8080/draw/1042"
        ),
        "{}",
        words.html
    );
    assert!(
        link("mailto:support@demo.test", "support@demo.test"),
        "{}",
        words.html
    );
    assert!(
        !words.html.contains("href=\"https://evil.example") && !words.html.contains("<a href='x'"),
        "{}",
        words.html
    );
    assert!(!words.html.contains("\" onclick"), "{}", words.html);
}

#[test]
fn signature_names_the_club_only_in_club_mails() {
    let render = |club: Option<&str>| {
        let head = Letterhead {
            club: club.map(str::to_string),
            ..test_letterhead()
        };
        let (subject, heading) = ("Hello".to_string(), "Hello".to_string());
        SimpleMail {
            head,
            subject,
            heading,
            paragraphs: Vec::new(),
            link: None,
        }
        .render_parts()
        .expect("a mail")
    };
    let (club_mail, platform_mail) = (render(Some("Wynnum Seagulls")), render(None));
    for part in [club_mail.text, club_mail.html] {
        assert!(
            part.contains("Football Doubles, for Wynnum Seagulls."),
            "{part}"
        );
    }
    for part in [platform_mail.text, platform_mail.html] {
        assert!(
            part.contains("Football Doubles.") && !part.contains("Football Doubles, for"),
            "{part}"
        );
    }
}
