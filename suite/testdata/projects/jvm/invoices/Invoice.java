package com.acme.invoicing;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

@JsonIgnoreProperties(ignoreUnknown = true)
public class Invoice {

    private Long id;
    private String number;
    private String status;
    @JsonProperty("total_cents")
    private int totalCents;
    private List<Line> lines;
    private boolean paid;

    public Long getId() { return id; }

    public void setId(Long id) { this.id = id; }

    public String getNumber() { return number; }

    public void setNumber(String number) { this.number = number; }

    public String getStatus() { return status; }

    public void setStatus(String status) { this.status = status; }

    public int getTotalCents() { return totalCents; }

    public void setTotalCents(int totalCents) { this.totalCents = totalCents; }

    public List<Line> getLines() { return lines; }

    public void setLines(List<Line> lines) { this.lines = lines; }

    public boolean isPaid() { return paid; }

    public void setPaid(boolean paid) { this.paid = paid; }

    public static class Line {
        public String text;
        public int cents;
    }
}
